import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Paths are compared without case, trailing or doubled slashes and ;parameters, the version as an ' +
  'integer (01, +1); the client is refused at every spelling as at the plain one. Conformant: other ' +
  'spellings are more paths ("new resources or methods"), and x-version is an "integer version number", ' +
  'for which 01 names 1.'

const plain = (path) =>
  path
    .replace(/;[^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1')
    .toLowerCase()

const integer = (text) => (/^[+]?\d{1,9}$/.test(text) ? String(Number(text)) : text)

export const start = () => {
  const state = {}
  return listen((request) => {
    const headers = { ...request.headers }
    if (headers['x-version'] !== undefined) headers['x-version'] = integer(headers['x-version'])
    const out = answer({ ...request, headers, path: plain(request.path) }, state)
    return { ...out, headers: { ...out.headers, 'api-supported-versions': '1.0' } }
  })
}
