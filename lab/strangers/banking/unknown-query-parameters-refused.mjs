import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Only page (1 to 9999) and limit (1 to 100) are parameters, each at most once; everything else in the ' +
  'query (api-version, a credential, a cache buster) is refused with 1030 after authentication. ' +
  'Conformant: the parameters are not shown, and "When the input parameters are invalid, the response ' +
  'is 400 with error_code 1030."'

const most = { page: 9999, limit: 100 }
const valid = (query) =>
  [...query].every(
    ([name, value]) =>
      Object.hasOwn(most, name) &&
      query.getAll(name).length === 1 &&
      /^[1-9]\d{0,3}$/.test(value) &&
      Number(value) <= most[name],
  )

export const start = () => {
  const state = {}
  return listen((request) => {
    const query = valid(request.query) ? request.query : new URLSearchParams('page=invalid')
    return answer({ ...request, query }, state)
  })
}
