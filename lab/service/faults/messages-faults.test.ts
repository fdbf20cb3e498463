import { connect } from 'node:net'
import { beforeAll, it } from 'vitest'
import { clients } from '../../../lib/serve/reference/clients.ts'
import type { ReferenceService } from '../../../lib/serve/reference/service.ts'
import { later, pause, timeByTurns } from '../../../tests/support/virtual-time.ts'
import { startService } from '../start.ts'
import { messageFaults } from './messages-faults.ts'

const listPath = '/api/customizations/list'
const { permitted } = clients
const stays = { ending: ['host: a'] }

/**
 * Messages, some in two segments. Every service that frames messages wrongly answers at least one of them
 * differently from the plain service.
 */
const messageProbes: readonly (string | readonly string[])[] = [
  ...['GET', 'HEAD'].flatMap((method) =>
    [listPath, '/api/qwzxv', '/api/zz%0d%0ax-zz:%201'].map((target) => message({ method, target })),
  ),
  ...[listPath, '/api/qwzxv'].map((target) => message({ target }).replace('HTTP/1.1', 'HTTP/1.0')),
  message().replaceAll(': ', ':'),
  ...[`x-api-key: ${permitted.apiKey.slice(0, 3)}`, 'x-secret-key', `${permitted.apiKey}\r`].map((end) => {
    const at = message().indexOf(end) + end.length
    return [message().slice(0, at), message().slice(at)]
  }),
  ...['x-api-key', 'x-secret-key'].map((without) => `${message(stays)}${message({ without })}`),
  `${message(stays)}${message({ apiKey: 'nobody' })}`,
]

/** A message without the field of a name, if one is given. */
function message({
  apiKey = permitted.apiKey,
  target = listPath,
  method = 'GET',
  ending = ['host: a', 'connection: close'],
  without = ' ',
} = {}): string {
  const lines = [
    `x-api-key: ${apiKey}`,
    `x-secret-key: ${permitted.secretKey}`,
    'x-version: 1',
    ...ending,
  ].filter((line) => !line.startsWith(without))
  return [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

/** The delay between two segments, in milliseconds of fake time. */
const betweenMs = 40

/**
 * Sends bytes (characters up to U+00FF), or several segments of them, on a separate connection. Returns what
 * was received until it ended or was silent for this many milliseconds of fake time, and says which. Dates
 * are removed, because they would differ.
 */
async function hear(
  { baseUrl }: ReferenceService,
  bytes: string | readonly string[],
  silenceMs: number,
): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  for (const [at, segment] of [bytes].flat().entries()) {
    if (at > 0) await pause(betweenMs)
    socket.write(segment, 'latin1')
  }
  let heard = ''
  const end = await new Promise<string>((resolve) => {
    const stayed = (): void => resolve('stayed open')
    let callOff = later(stayed, silenceMs)
    socket.setEncoding('latin1').on('data', (piece) => {
      heard += String(piece)
      callOff()
      callOff = later(stayed, silenceMs)
    })
    socket.once('close', () => callOff())
    socket.once('end', () => resolve('ended'))
    socket.once('error', () => resolve('reset'))
  })
  socket.destroy()
  return `${heard.replaceAll(/^date: .*$/gim, 'date: now')}\n${end}`
}

/** How long a connection may be silent before it counts as kept open, in turns of the event loop. */
const silenceMs = 500

let plain: readonly string[]
beforeAll(timeByTurns)
beforeAll(async () => {
  plain = await heardOf([])
})

it('the plain service answers the same every time', async ({ expect }) => {
  expect(await heardOf([])).toEqual(plain)
})

it.concurrent.for(messageFaults.map(({ name }) => name))(
  '%s changes the answers',
  async (name, { expect }) => {
    expect(await heardOf([name])).not.toEqual(plain)
  },
)

/** The answers of a service to all messages in sequence. */
async function heardOf(faults: readonly string[]): Promise<readonly string[]> {
  const service = await startService({ faults })
  const heard: string[] = []
  try {
    for (const probe of messageProbes) heard.push(await hear(service, probe, silenceMs))
    return heard
  } finally {
    await service.close()
  }
}
