import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe } from 'vitest'
import { ok, serve, type RawAnswerer } from '../lib/http/testing/servers.ts'
import { expectIncomplete } from './expected.ts'
import { ruleIn, rulesThat, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}
const impatient = ['--timeout-ms', '300'] as const

describe.concurrent('nobody is there:', () => {
  test('a port on which nobody listens', async ({ reference, expect }) => {
    const service = await reference()
    await service.close()

    const result = await run([], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['nobody listens at 127.0.0.1:', 'is TARGET_BASE_URL right?'])
  })

  test('a name that does not resolve', async ({ expect }) => {
    const result = await run(impatient, { env: { TARGET_BASE_URL: 'https://nobody.invalid', ...client } })

    expectIncomplete(expect, result, ['nobody.invalid:443', 'is TARGET_BASE_URL right'])
  })

  test('and credentials that would go unencrypted are pointed out', async ({ expect }) => {
    const result = await run(impatient, { env: { TARGET_BASE_URL: 'http://nobody.invalid', ...client } })

    expectIncomplete(expect, result, ['nobody.invalid:80'])
    expect(result.stderr).toContain('credentials go unencrypted to http://nobody.invalid')
  })
})

interface Bad {
  readonly what: string
  readonly answer: RawAnswerer
  readonly greeting?: string
  readonly says: string
}

// 1 GiB of zeros: many members of one gzip stream.
const member = gzipSync(Buffer.alloc(16 * 1024 * 1024))
const bomb = Buffer.concat(Array.from({ length: 64 }, () => member))

const badServices: readonly Bad[] = [
  { what: 'never answers', answer: () => {}, says: 'no answer came within 300 ms (RUN_TIMEOUT_MS)' },
  {
    what: 'sends a byte now and then, for ever',
    answer: drip,
    says: 'the answer began and did not end within 300 ms (RUN_TIMEOUT_MS)',
  },
  {
    what: 'resets every connection',
    answer: (socket) => socket.resetAndDestroy(),
    says: 'closed the connection before its answer was complete',
  },
  {
    what: 'closes every connection with a greeting',
    answer: () => {},
    greeting: '220 mail.example ESMTP\r\n',
    says: 'is not HTTP: are scheme and port of TARGET_BASE_URL right?',
  },
  {
    what: 'sends garbage',
    answer: (socket) => socket.end(Buffer.from('00ff1b5b324a0d0a0d0a7f45', 'hex')),
    says: 'is not HTTP',
  },
  { what: 'sends 1 GiB', answer: flood, says: 'longer than this suite reads (4 MiB)' },
  {
    what: 'sends a gzip bomb',
    answer: (socket) => socket.write(ok(bomb, ['Content-Encoding: gzip', 'Content-Type: application/json'])),
    says: 'longer than',
  },
  {
    what: 'says gzip and sends something else',
    answer: (socket) => socket.write(ok('{"items":[]}', ['Content-Encoding: gzip'])),
    says: 'labelled gzip, and its content is damaged or something else',
  },
  {
    what: 'names a coding that nobody knows',
    answer: (socket) => socket.write(ok('{"items":[]}', ['Content-Encoding: rot13'])),
    says: 'content-encoding is none of gzip, deflate, br and identity',
  },
  {
    what: 'announces more than it sends',
    answer: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"items":[]}'),
    says: 'closed the connection before its answer was complete',
  },
  {
    what: 'sends headers without end',
    answer: (socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(4_000)}`),
    says: 'header fields',
  },
  {
    what: 'is a gateway without a service behind it',
    answer: (socket) => socket.write('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\n502'),
    says: 'a gateway answered 502 in the place of the service',
  },
]

describe.concurrent('a service that is no service is not judged:', () => {
  for (const { what, answer, greeting, says } of badServices) {
    test(`it ${what}`, async ({ onTestFinished, expect }) => {
      const { port } = await serve(answer, {
        onFinished: onTestFinished,
        ...(greeting === undefined ? {} : { greeting }),
      })

      const result = await run(impatient, {
        env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client },
      })

      expectIncomplete(expect, result, [says])
      expect(result.durationMs).toBeLessThan(60_000)
      expect(result.memoryMiB).toBeLessThan(400)
    })
  }
})

describe.concurrent('a service that answers everything alike is judged:', () => {
  test('with JSON 200,000 levels deep, which is a success', async ({ onTestFinished, expect }) => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const answer = ok(deep, ['Content-Type: application/json'])
    const { port } = await serve((socket) => socket.write(answer), { onFinished: onTestFinished })

    const { code, verdict, memoryMiB } = await run(['--max-requests', '200'], {
      env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client },
    })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').findings).toEqual([])
    expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(memoryMiB).toBeLessThan(400)
    expect(code).toBe(1)
  })

  test('with 500 and a page', async ({ onTestFinished, expect }) => {
    const answer = 'HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<b>no</b>'
    const { port } = await serve((socket) => socket.write(answer), { onFinished: onTestFinished })

    const { code, verdict } = await run([], {
      env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client },
    })

    expect(rulesThat(verdict, 'failed')).toEqual(
      expect.arrayContaining([
        'endpoints/list-succeeds',
        'errors/documented-pairs',
        'conventions/json-response',
      ]),
    )
    expect(code).toBe(1)
  })
})

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{')
  const timer = setInterval(() => socket.write(' '), 50)
  socket.once('close', () => clearInterval(timer))
}

function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, ' ')
  let left = 16 * 1024
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1
      if (!socket.write(chunk)) return void socket.once('drain', more)
    }
  }
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${2 ** 30}\r\n\r\n`)
  more()
}
