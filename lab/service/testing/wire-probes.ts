import { clients } from '../../../lib/serve/reference/clients.ts'

const listPath = '/api/customizations/list'
const { permitted } = clients
const stays = { ending: ['host: a'] }

/**
 * Messages, some in two segments. Every service that frames messages wrongly answers at least one of them
 * differently from the plain service.
 */
export const messageProbes: readonly (string | readonly string[])[] = [
  ...['GET', 'HEAD'].flatMap((method) =>
    [listPath, '/api/qwzxv', '/api/zz%0d%0ax-zz:%201'].map((target) => plain({ method, target })),
  ),
  ...[listPath, '/api/qwzxv'].map((target) => plain({ target }).replace('HTTP/1.1', 'HTTP/1.0')),
  plain().replaceAll(': ', ':'),
  ...[`x-api-key: ${permitted.apiKey.slice(0, 3)}`, 'x-secret-key', `${permitted.apiKey}\r`].map((end) => {
    const at = plain().indexOf(end) + end.length
    return [plain().slice(0, at), plain().slice(at)]
  }),
  ...['x-api-key', 'x-secret-key'].map((without) => `${plain(stays)}${plain({ without })}`),
  `${plain(stays)}${plain({ apiKey: 'nobody' })}`,
]

interface Parts {
  readonly apiKey?: string
  readonly target?: string
  readonly method?: string
  readonly ending?: readonly string[]
  /** The name of a field that is left out. */
  readonly without?: string
}

function plain(parts: Parts = {}): string {
  const { apiKey = permitted.apiKey, target = listPath, method = 'GET', without = ' ' } = parts
  const lines = [
    `x-api-key: ${apiKey}`,
    `x-secret-key: ${permitted.secretKey}`,
    'x-version: 1',
    ...(parts.ending ?? ['host: a', 'connection: close']),
  ].filter((line) => !line.startsWith(without))
  return [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}
