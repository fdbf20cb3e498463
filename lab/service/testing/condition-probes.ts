import type { ReferenceClients } from '../../../lib/serve/reference/clients.ts'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'

const listPath = '/api/customizations/list'

/** Requests on which faults show that hold under one condition: for one client, one character, one order of headers. */
export function conditionProbes(clients: ReferenceClients): readonly Question[] {
  return [
    ...asSecond(clients),
    ...withOneCharacterOff(clients),
    ...formed(clients),
    ...throughDoors(clients),
    ...rightBehind(clients),
    ...inHttp10(clients),
    { headers: headersOf({ ...clients.permitted, apiKey: `${clients.permitted.apiKey}\xa0` }) },
    ...guessed(clients),
    ...Array.from({ length: 8 }, () => ({ headers: headersOf(clients.disposable) })),
    { headers: [...headersOf(clients.disposable), 'x-forwarded-for', '192.0.2.77'] },
    { headers: headersOf(clients.disposable), method: 'HEAD' },
    { headers: headersOf(clients.disposable), httpVersion: '1.0' },
  ]
}

/** Each on a connection of its own, and so often that one instance of nine answers. */
function inHttp10({ permitted }: ReferenceClients): readonly Question[] {
  const nineTimes = (headers: readonly string[]): readonly Question[] =>
    Array.from({ length: 9 }, () => ({ headers, httpVersion: '1.0' }))
  return [
    { headers: headersOf(permitted).slice(0, 4), httpVersion: '1.0' },
    ...nineTimes(headersOf({ ...permitted, secretKey: 'wrong' })),
    ...nineTimes(headersOf(permitted, '2147483647')),
  ]
}

function rightBehind({ permitted }: ReferenceClients): readonly Question[] {
  const guess = headersOf({ ...permitted, secretKey: 'guess' })
  const named = ['x-request-id', 'a1']
  return [
    { headers: guess },
    { headers: guess },
    { headers: [...headersOf(permitted), ...named] },
    { headers: [...guess, ...named] },
    { method: 'HEAD' },
    { headers: guess },
  ]
}

function guessed({ permitted }: ReferenceClients): readonly Question[] {
  const { secretKey } = permitted
  const guess = { headers: headersOf({ ...permitted, secretKey: 'guess' }) }
  const sameChecksum = String.fromCodePoint(secretKey.charCodeAt(0) - 37) + secretKey.slice(1)
  return [
    {},
    { headers: headersOf({ ...permitted, secretKey: sameChecksum }) },
    { headers: headersOf(permitted, '123456') },
    ...Array.from({ length: 31 }, () => guess),
    ...Array.from({ length: 200 }, () => ({ headers: headersOf(permitted) })),
    guess,
  ]
}

function asSecond({ second }: ReferenceClients): readonly Question[] {
  const { apiKey, secretKey } = second
  return [
    { headers: ['x-secret-key', secretKey, 'x-version', '1'] },
    { headers: ['x-api-key', apiKey, 'x-version', '1'] },
    { headers: ['x-api-key', apiKey, 'x-secret-key', secretKey] },
    { headers: headersOf(second, '2147483647') },
    { headers: headersOf({ ...second, apiKey: `${apiKey}0` }) },
    { headers: headersOf({ ...second, apiKey: apiKey.toLowerCase() }) },
  ]
}

function withOneCharacterOff({ permitted }: ReferenceClients): readonly Question[] {
  const { apiKey, secretKey } = permitted
  return [
    { headers: headersOf({ ...permitted, apiKey: changed(apiKey, 18) }) },
    { headers: headersOf({ ...permitted, secretKey: changed(secretKey, 29) }) },
  ]
}

function formed({ permitted }: ReferenceClients): readonly Question[] {
  const { apiKey, secretKey } = permitted
  const version = ['x-version', '1']
  return [
    { headers: [...version, 'x-secret-key', 'wrong', 'x-api-key', apiKey] },
    { headers: ['X-Api-Key', apiKey, 'X-Secret-Key', secretKey, ...version] },
    { headers: ['X-API-KEY', 'wrong', 'x-secret-key', secretKey, ...version] },
  ]
}

function throughDoors({ permitted }: ReferenceClients): readonly Question[] {
  const wrongKey = headersOf({ ...permitted, apiKey: 'wrong' })
  return [
    { target: `${listPath}?view=all`, headers: wrongKey },
    { headers: [...wrongKey, 'x-real-ip', '127.0.0.1'] },
    { headers: [...wrongKey, 'range', 'bytes=0-0'] },
  ]
}

function changed(text: string, at: number): string {
  return `${text.slice(0, at)}~${text.slice(at + 1)}`
}
