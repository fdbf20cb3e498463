import { answer, clientOf, listen, listPath, refusal, version } from '../base.mjs'

export const wrong = false
export const about =
  'Parameters, quota, permission, endpoint, credentials and at last the missing headers are looked at, ' +
  'in this order: of several flaws another one is named than most would. Conformant: every single flaw ' +
  'has its code, the code always names a flaw that the request has, and no order of the rules is ' +
  'specified.'

const paging = /^(page|limit|offset|size|per_page|page_size)$/

export const start = () => {
  const state = {}
  const spent = (client) => {
    const used = state.used?.get(`${client.key} ${new Date().toISOString().slice(0, 10)}`) ?? 0
    return used >= client.quota
  }
  return listen((request) => {
    const { headers, method, path, query } = request
    const client = clientOf(request)
    const bad = ([name, value]) => paging.test(name) && !/^\d{1,6}$/.test(value)
    if ([...query].some(bad)) return refusal('1030')
    if (client && spent(client)) return refusal('1020')
    if (client?.refused) return refusal(client.refused)
    if (method !== 'GET' || path !== listPath) return refusal('1010')
    if (headers['x-version'] !== undefined && headers['x-version'] !== version) return refusal('1010')
    if (client && headers['x-secret-key'] !== undefined && headers['x-secret-key'] !== client.secret)
      return refusal('1007')
    if (headers['x-api-key'] !== undefined && !client) return refusal('1006')
    if (headers['x-version'] === undefined) return refusal('1003')
    if (headers['x-secret-key'] === undefined) return refusal('1002')
    return answer(request, state)
  })
}
