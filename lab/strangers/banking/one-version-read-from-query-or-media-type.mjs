import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The version readers of the framework are combined: without the header x-version a version in the ' +
  'query (?api-version=1, ?version=1, ?v=1) or in the media type (accept: application/json;version=1) ' +
  'is taken, and the request is served. Breaks "When the version header is absent, the response is 400 ' +
  'with error_code 1003."'

const fromQuery = (query) => {
  for (const [name, value] of query) if (/^(api-version|x-version|version|v)$/i.test(name)) return value
}
const fromMediaType = (accept = '') => /;\s*(?:api-version|version|v)\s*=\s*"?(\d+)/i.exec(accept)?.[1]

export const start = () => {
  const state = {}
  return listen((request) => {
    const { headers, query } = request
    const named = headers['x-version'] ?? fromQuery(query) ?? fromMediaType(headers.accept)
    return answer({ ...request, headers: { ...headers, 'x-version': named } }, state)
  })
}
