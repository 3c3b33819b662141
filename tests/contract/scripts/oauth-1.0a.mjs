// npm's oauth-1.0a as Debian packages it, with Node's fetch: a signed form, JSON, a filter and a deletion.
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

const OAuth = createRequire(import.meta.url)('/usr/share/nodejs/oauth-1.0a')
const settings = JSON.parse(await text(process.stdin))
const oauth = OAuth({
  consumer: { key: settings.consumerKey, secret: settings.consumerSecret },
  signature_method: settings.method,
  hash_function: (base, key) => createHmac(settings.hash, key).update(base).digest('base64'),
})
const token = { key: settings.accessToken, secret: settings.accessSecret }

async function step(name, method, path, { data, ...options } = {}) {
  const url = settings.url + path
  const signed = oauth.toHeader(oauth.authorize({ url, method, data }, token))
  const body = data ? new URLSearchParams(data) : options.body
  const response = await fetch(url, { method, body, headers: { ...options.headers, ...signed } })
  const sent = await response.text()
  console.log(JSON.stringify([name, response.status, sent ? JSON.parse(sent) : null]))
  return sent ? JSON.parse(sent) : null
}

const fields = Object.fromEntries(Object.entries(settings.fields).map(([name, value]) => [name, String(value)]))
const created = await step('create', 'POST', '/users', { data: fields })
const path = `/users/${created.accountHolder.ref}`
const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(settings.changes) }
await step('edit', 'PUT', path, json)
await step('list', 'GET', `/users?username=${encodeURIComponent(fields.username)}&limit=5`)
await step('delete', 'DELETE', path)
