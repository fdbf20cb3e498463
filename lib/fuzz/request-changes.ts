import type { Field, Request } from '../http/exchange.ts'
import type { RequiredField } from '../specification/endpoints.ts'

/** A function that returns a changed request. Pure. */
export type RequestChange = (request: Request) => Request

/** Parses a field from its line: `accept: text/html`. */
export function line(text: string) {
  const [name = '', value = ''] = text.split(/: (.*)/s)
  return { name, value }
}

/** Applies several changes, one after another. */
export function inTurn(...changes: readonly RequestChange[]): RequestChange {
  return (request) => changes.reduce((changed, change) => change(changed), request)
}

export const unchanged: RequestChange = (request) => request

/** Changes the header fields. */
export function ofFields(change: (fields: readonly Field[]) => readonly Field[]): RequestChange {
  return (request) => ({ ...request, fields: change(request.fields) })
}

/** Removes all fields with these names, in any letter case. */
export function without(...names: readonly string[]) {
  const dropped = names.map((name) => name.toLowerCase())
  return ofFields((fields) => fields.filter(({ name }) => !dropped.includes(name.toLowerCase())))
}

/** Sets the value of the field with this name, which keeps its letter case, or appends the field. */
export function setting(name: string, value: Field['value']) {
  return ofFields((fields) => {
    const at = fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase())
    return fields.toSpliced(at === -1 ? fields.length : at, 1, { name: fields[at]?.name ?? name, value })
  })
}

/** Sets a field given by its line. A body keeps its `content-type`. */
export function settingLine(text: string): RequestChange {
  const { name, value } = line(text)
  return (request) =>
    name === 'content-type' && request.body !== undefined ? request : setting(name, value)(request)
}

/** Appends these fields. A body keeps its `content-type`. */
export function adding(...added: readonly Field[]): RequestChange {
  return (request) => {
    const fields = added.filter(({ name }) => name !== 'content-type' || request.body === undefined)
    return { ...request, fields: [...request.fields, ...fields] }
  }
}

/** Sets the body to this text. */
export function withBody(body: string): RequestChange {
  return (request) => ({ ...request, body })
}

/** Rewrites the names of fields. */
export function renaming(rename: (name: string) => string) {
  return ofFields((fields) => fields.map(({ name, value }) => ({ name: rename(name), value })))
}

/** Renames one field. */
export function renamed(field: string, other: string) {
  return renaming((name) => (name.toLowerCase() === field ? other : name))
}

/** Reorders the required fields, leaving all others in place. */
export function ordered(order: readonly RequiredField[]) {
  return ofFields((fields) => {
    const names = fields.map(({ name }) => name.toLowerCase())
    const from = order.map((name) => names.indexOf(name)).filter((at) => at !== -1)
    const places = from.toSorted((a, b) => a - b)
    return fields.map((field, at) => fields[from[places.indexOf(at)] ?? at] ?? field)
  })
}

/** Changes the path and the query. */
function ofTarget(change: (target: string) => string): RequestChange {
  return (request) => ({ ...request, target: change(request.target) })
}

/** Sends it to another path, without a query. */
export function to(path: string) {
  return ofTarget(() => path)
}

/** Sends it to another path, with the request's own query. */
export function withPath(path: string) {
  return ofTarget((target) => target.replace(/^[^?]*/, () => path))
}

/** Changes the request's query, which is empty if absent. */
export function withQueryFrom(made: (query: string) => string) {
  return ofTarget((target) => target.replace(/(?:\?.*)?$/s, (query) => `?${made(query.slice(1))}`))
}

/** Adds a query to the request's own. */
export function withQuery(more: string) {
  return ofTarget((target) => target + (target.includes('?') ? '&' : '?') + more)
}

/** Sends it byte for byte over a raw socket. */
export const raw: RequestChange = (request) => ({ ...request, route: 'raw' })

/** Sends it in HTTP/1.0, which the pool cannot write. */
export const inHttp10: RequestChange = (request) => ({ ...request, route: 'raw', form: { version: '1.0' } })
