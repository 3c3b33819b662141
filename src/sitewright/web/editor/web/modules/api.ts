/** Calls of the editor's routes, under the session cookie and with the session's form token. */

/** A call that did not succeed. `status` is 0 where no response came. */
export class CallFailed extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly retrySeconds: number | null = null,
    readonly problem: Record<string, unknown> = {},
  ) {
    super(detail);
  }

  /** Whether the same call may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  get isLoggedOut(): boolean {
    return this.status === 401;
  }
}

export type Progress = (share: number) => void;

export class Api {
  private token = "";

  constructor(readonly base: string) {}

  setToken(token: string): void {
    this.token = token;
  }

  async get<T>(path: string): Promise<T> {
    return this.parsed<T>(await this.fetch(path, { method: "GET" }));
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.withToken(() => this.send<T>(path, body));
  }

  /** A session that was begun in another tab has another token, which is fetched once. */
  private async withToken<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallFailed) || error.code !== "formTokenRejected") throw error;
      await this.renewToken();
      return call();
    }
  }

  async renewToken(): Promise<void> {
    this.token = (await this.get<{ token: string }>("/token")).token;
  }

  upload<T>(path: string, form: FormData, onprogress: Progress): Promise<T> {
    return this.withToken(() => this.sendForm<T>(path, form, onprogress));
  }

  /** `fetch` reports no progress of uploads, so this is an XMLHttpRequest. */
  private sendForm<T>(path: string, form: FormData, onprogress: Progress): Promise<T> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", this.base + path);
      request.setRequestHeader("X-Form-Token", this.token);
      request.responseType = "json";
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) onprogress(event.loaded / event.total);
      });
      request.addEventListener("error", () => reject(new CallFailed(0, "unreachable", "")));
      request.addEventListener("load", () => {
        if (request.status < 300) resolve(request.response as T);
        else reject(failure(request.status, null, request.response));
      });
      request.send(form);
    });
  }

  private async send<T>(path: string, body: unknown): Promise<T> {
    const headers = { "Content-Type": "application/json", "X-Form-Token": this.token };
    return this.parsed<T>(await this.fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
  }

  private async fetch(path: string, options: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.base + path, { ...options, credentials: "same-origin", redirect: "manual" });
    } catch {
      throw new CallFailed(0, "unreachable", "");
    }
    if (response.ok) return response;
    const problem: unknown = await response.json().catch(() => null);
    throw failure(response.status || 503, response.headers.get("Retry-After"), problem);
  }

  private async parsed<T>(response: Response): Promise<T> {
    if (response.status === 204) return undefined as T;
    try {
      return (await response.json()) as T;
    } catch {
      throw new CallFailed(0, "unreachable", ""); // the connection ended within the response
    }
  }
}

function failure(status: number, retryAfter: string | null, problem: unknown): CallFailed {
  const fields = typeof problem === "object" && problem !== null ? (problem as Record<string, unknown>) : {};
  const seconds = Number(retryAfter);
  return new CallFailed(
    status,
    typeof fields["code"] === "string" ? fields["code"] : "",
    typeof fields["detail"] === "string" ? fields["detail"] : "",
    Number.isFinite(seconds) && seconds > 0 ? seconds : null,
    fields,
  );
}
