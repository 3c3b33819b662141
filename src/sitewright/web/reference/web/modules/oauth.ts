/** OAuth 1.0a (RFC 5849) with HMAC-SHA256, by the browser's own cryptography. */
export interface Credentials {
  consumerKey: string;
  consumerSecret: string;
  accessToken: string;
  accessSecret: string;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function byNameThenValue([a, x]: [string, string], [b, y]: [string, string]): number {
  if (a !== b) return a < b ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

export async function authorization(method: string, address: string, credentials: Credentials): Promise<string> {
  const url = new URL(address);
  const oauth: Record<string, string> = {
    oauth_consumer_key: credentials.consumerKey,
    oauth_token: credentials.accessToken,
    oauth_signature_method: "HMAC-SHA256",
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    oauth_nonce: crypto.randomUUID(),
    oauth_version: "1.0",
  };
  const parameters = [...url.searchParams, ...Object.entries(oauth)];
  const pairs = parameters.map(([name, value]): [string, string] => [encode(name), encode(value)]);
  const listed = pairs.sort(byNameThenValue).map((pair) => pair.join("=")).join("&");
  const baseString = [method, encode(url.origin + url.pathname), encode(listed)].join("&");
  oauth.oauth_signature = await sign(baseString, `${encode(credentials.consumerSecret)}&${encode(credentials.accessSecret)}`);
  const listedHeader = Object.entries(oauth).map(([name, value]) => `${name}="${encode(value)}"`);
  return `OAuth ${listedHeader.join(", ")}`;
}

async function sign(text: string, secret: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, bytes.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}
