import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect as always, test as base } from 'vitest'
import {
  atMost,
  emptyFolder,
  folderWith,
  rulesThat,
  runProgram,
  type ProgramOptions,
  type ProgramResult,
} from './support/program.ts'
import { runInProcess } from './support/in-process.ts'
import { leaks } from './leaks/leaks.ts'
import { echoes, everyCanary } from '../lab/echoes/all-echoes.ts'
import { echo } from '../lab/echoes/echo.ts'
import { write as writeAnswer } from '../lab/echoes/write.ts'

/** More at once would only wait for the processor, and time limits with them. */
const inTurn = atMost(3)

interface Canary extends ProgramOptions {
  /** Files of the working folder that held credentials before the run. */
  readonly except?: readonly string[]
  /** What must not be read anywhere besides the canaries. */
  readonly others?: readonly string[]
}

/**
 * Runs the program, and fails the test when any canary can be read in any byte that it printed or wrote. As a process of its own, what
 * a process list shows is searched, too.
 */
async function run(
  args: readonly string[],
  { except = [], others = [], ...options }: Canary = {},
  runs: typeof runProgram = options.started === undefined ? runInProcess : runProgram,
): Promise<ProgramResult> {
  const argv: string[] = []
  const started = (child: ChildProcess): void => {
    child.once('spawn', () => void commandLineOf(child).then((text) => argv.push(text)))
    options.started?.(child)
  }
  const result = await inTurn(() => runs(args, runs === runProgram ? { ...options, started } : options))
  // The arguments that a test gave itself are in the process list whatever the program does.
  const own = args.some((arg) => [...everyCanary, ...others].some((one) => arg.includes(one)))
  const shown = {
    stdout: result.stdout,
    stderr: result.stderr,
    reportsFolder: result.cwd,
    except,
    argv: own ? [] : argv,
  }

  always(await leaks(shown, [...everyCanary, ...others])).toEqual([])
  return result
}

/** Title and arguments, as Linux shows them to everybody. */
async function commandLineOf({ pid }: ChildProcess): Promise<string> {
  return readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '')
}

/** A test with an echo of its own, which ends with it. */
const test = base.extend<{ readonly echoing: (name: string) => Promise<Readonly<Record<string, string>>> }>({
  echoing: async ({ onTestFinished }, use) => {
    await use(async (name) => {
      const found = echoes.find((one) => one.name === name)
      if (found === undefined) throw new Error(`there is no echo ${name}`)
      const { env, close } = await found.start()
      onTestFinished(close)
      return env
    })
  },
})

// Every echo is a subject of the proof.
describe.concurrent('no credential leaves a run against a service that echoes it', () => {
  test.for(['everywhere', 'in-error-code', 'client-table'])(
    '%s, printed as JSON',
    async (name, { echoing, expect }) => {
      const { stdout, verdict } = await run(['--format', 'json'], { env: await echoing(name) }, runProgram)

      expect(JSON.parse(stdout)).toEqual(verdict)
    },
  )
})

describe.concurrent('no credential leaves any other command', () => {
  test.for([
    ['--help'],
    ['run', '--help'],
    ['--version'],
    ['rules', '--format', 'json'],
    ['plan'],
    ['plan', '--strict'],
  ])('%s', async (args, { echoing, expect }) => {
    const { code } = await run(args, { env: await echoing('in-success') }, runProgram)

    expect(code).toBe(0)
  })

  test.for(['everywhere', 'refused-by-name', 'in-reason-phrase'])(
    'doctor, against %s',
    async (name, { echoing, expect }) => {
      const { stdout } = await run(['doctor'], { env: await echoing(name) })

      expect(stdout).toContain('TARGET_API_KEY')
    },
  )

  test('replay, of a finding in which everything is echoed', async ({ echoing, expect }) => {
    const env = await echoing('in-html-page')
    const { verdict } = await run(['--only', 'authentication/secret-key-invalid'], { env })
    const found = verdict?.rules.flatMap(({ findings }) => findings)[0]

    const { code, stdout } = await run(['replay', found?.case ?? ''], { env })

    expect(stdout).toContain('TARGET_API_KEY')
    expect(code).toBe(1)
  })

  test('serve, whatever its environment holds', async ({ echoing, expect }) => {
    const started = (child: ChildProcess): void => {
      child.stdout?.once('data', () => child.kill('SIGINT'))
    }
    const { code } = await run(['serve'], { env: await echoing('in-success'), started })

    expect(code).toBe(0)
  })

  test('proxy, in a line for each request', async ({ echoing, expect }) => {
    const env = await echoing('everywhere')
    const { TARGET_API_KEY: key = '', TARGET_SECRET_KEY: secret = '', TARGET_BASE_URL: target = '' } = env
    const headers = {
      'x-api-key': key,
      'x-secret-key': secret,
      'x-version': '1',
      [token(key)]: secret,
      cookie: secret,
    }
    let [shown, answered] = ['', '']
    const started = (child: ChildProcess): void => {
      child.stdout?.on('data', (text) => {
        const address = shown === '' ? /listens at (http:\/\/\S+)/.exec(String(text))?.[1] : undefined
        shown += String(text)
        if (address === undefined) return
        const asked = fetch(`${address}/api/customizations/list?secret=${encodeURIComponent(secret)}`, {
          headers,
        })
        void asked
          .then(async (answer) => (answered = await answer.text()))
          .finally(() => child.kill('SIGINT'))
      })
    }
    const { stdout } = await run(['proxy', '--base-url', target], { env, started })

    expect(answered).toContain('Kp7')
    expect(stdout).toContain('GET /api/customizations/list 200')
  })
})

describe.concurrent('no credential leaves a mistake', () => {
  const [key = '', secret = '', second = ''] = everyCanary
  const client = { TARGET_BASE_URL: 'http://127.0.0.1:9', TARGET_API_KEY: key, TARGET_SECRET_KEY: secret }

  test.for<readonly [what: string, args: readonly string[], env: Readonly<Record<string, string>>]>([
    [
      'in the name of its setting',
      [],
      { TARGET_SECRET_KYE: second, FIXTURE_SECOND_API_KEYS: second, target_api_key: second },
    ],
    [
      'in the user info of the address',
      [],
      { TARGET_BASE_URL: `https://${encodeURIComponent(key)}:${encodeURIComponent(secret)}@127.0.0.1` },
    ],
    [
      'in the address, as it is',
      [],
      { TARGET_BASE_URL: `https://${key}:${secret}@127.0.0.1/${second}?k=${second}#${second}` },
    ],
    ['in the place of the address', [], { TARGET_BASE_URL: secret }],
    ['as the value of a flag of its own', ['--api-key', key, '--secret-key', secret], {}],
    [
      'as the value of a flag, with an equals sign',
      [`--secret-key=${secret}`, `--target-api-key=${key}`],
      {},
    ],
    [
      'as the value of another flag',
      ['--only', secret, '--profile', key, '--seed', secret, '--format', secret],
      {},
    ],
    [
      'as the name of a file',
      ['--waivers', secret, '--endpoints', key, '--baseline', key, '--ca-file', secret],
      {},
    ],
    ['as an argument', [secret], {}],
    ['as the name of a command', [key, secret], {}],
    ['before a flag without its value', ['run', '--api-key', secret, key, '--only'], {}],
    ['as a choice that there is not', ['rules', '--format', second], {}],
    ['as a choice that there is not, with an equals sign', ['rules', `--format=${second}`], {}],
    ['as the value of a flag that its command has not', ['serve', `--secret-key=${second}`, key], {}],
    ['as a case', ['replay', second], {}],
    [
      'in the settings of others',
      [],
      {
        TARGET_QUERY: `key=${secret} ü`,
        TARGET_LABEL: secret,
        FIXTURE_INVALID_QUERY: `?${key}`,
        RUN_ONLY: `${key},${secret}`,
        TARGET_VERSION: secret,
      },
    ],
    [
      'with a line break and white space',
      [],
      { TARGET_API_KEY: `${key}\n`, TARGET_SECRET_KEY: ` ${secret}\t` },
    ],
    ['with characters beyond ASCII', [], { TARGET_API_KEY: `ü${key}`, TARGET_SECRET_KEY: `${secret}\u201d` }],
    [
      'with key and secret alike, and half a client',
      [],
      { TARGET_SECRET_KEY: key, FIXTURE_SECOND_API_KEY: second, FIXTURE_INACTIVE_SECRET_KEY: secret },
    ],
    [
      'that is a whole file',
      [],
      { TARGET_SECRET_KEY: `-----BEGIN PRIVATE KEY-----\n${secret.repeat(200)}\n-----END PRIVATE KEY-----` },
    ],
    [
      'in the address of a proxy that is none',
      [],
      { TARGET_BASE_URL: 'https://127.0.0.1:9', HTTPS_PROXY: `${key}:${secret}@` },
    ],
  ])('%s', async ([, args, env], { expect }) => {
    const { code } = await run(args, { env: { ...client, ...env } })

    expect(code).toBe(2)
  })

  test.for<readonly [what: string, text: string]>([
    [
      'without quotes around a #',
      `TARGET_BASE_URL=http://127.0.0.1:9\nTARGET_API_KEY=${key}#1\nTARGET_SECRET_KEY=${secret}\n`,
    ],
    [
      'with a colon for the equals sign',
      `TARGET_BASE_URL=http://127.0.0.1:9\nTARGET_API_KEY: ${key}\n${secret}\n`,
    ],
    [
      'with names that are not quite right',
      `TARGET_BASE_URL=http://127.0.0.1:9\nTARGET_APIKEY=${key}\nTARGET_SECRET-KEY=${secret}\n`,
    ],
    ['with a NUL', `TARGET_API_KEY=${key}\0\nTARGET_SECRET_KEY=${secret}\n`],
  ])('in an env file %s', async ([, text], { expect }) => {
    const cwd = await folderWith({ '.env': text })

    const { code } = await run([], { cwd, except: ['.env'] })

    expect(code).toBe(2)
  })

  test.for([
    [
      'waivers',
      (value: string) => JSON.stringify([{ rule: value, fingerprint: value, reason: value, expires: value }]),
    ],
    ['waivers', (value: string) => `[{ "rule": "${value}`],
    ['endpoints', (value: string) => JSON.stringify([{ method: value, path: `/${value}`, [value]: value }])],
    ['baseline', (value: string) => JSON.stringify({ format: value, [value]: value })],
    ['ca-file', (value: string) => `-----BEGIN CERTIFICATE-----\n${value}\n-----END CERTIFICATE-----`],
  ] as const)('in a file of %s', async ([flag, write], { expect }) => {
    const cwd = await folderWith({ given: write(secret) })

    const { code } = await run([`--${flag}`, 'given'], { cwd, env: client, except: ['given'] })

    expect(code).toBe(2)
  })
})

describe.concurrent('no credential leaves a run', () => {
  test('whose service hands out packed sessions, in fields, lists and codes', async ({
    expect,
    onTestFinished,
  }) => {
    const { env, close } = await echo({
      name: 'packed-sessions',
      about: 'Every answer holds a packed session with the credentials.',
      exit: 1,
      rules: ['authentication/secret-key-invalid'],
      repeat: (answer, { both }, response) => {
        const packed = deflateRawSync(JSON.stringify({ user: 4711, roles: ['cards:read'], both }))
        const session = packed.toString('base64url')
        writeAnswer(answer, response, {
          fields: { 'set-cookie': [`s=v1_${session}; Path=/`], location: `/session/${session}` },
          added: {
            ...(answer.refusal === '1007' ? { error_code: session } : {}),
            session: packed,
            [session]: packed.toString('hex'),
            bytes: [...new Int8Array(packed)],
          },
        })
      },
    }).start()
    onTestFinished(close)

    const { verdict, stdout } = await run(['--only', 'authentication/*'], { env })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/secret-key-invalid')
    expect(stdout).toMatch(/401 \/ \S{8}… \(opaque: \d+ characters\)/)
    expect(JSON.stringify(verdict)).toMatch(/\/session… \(opaque: \d+ characters\)/)
  })

  test('that learns a baseline from answers in which credentials are names, and compares with it', async ({
    expect,
    echoing,
  }) => {
    const env = { ...(await echoing('in-property-names')), RUN_BASELINE: 'baseline.json' }
    const { cwd } = await run([], { env })
    const learned = await readFile(join(cwd, 'baseline.json'), 'utf8')

    const { verdict } = await run([], { env, cwd })

    expect(learned).toContain('TARGET_API_KEY')
    expect(verdict?.baseline).toMatchObject({ did: 'compared' })
  })

  test('whose waivers cover what is echoed', async ({ echoing, expect }) => {
    const cwd = await emptyFolder()
    const waivers = [
      { rule: 'security/no-secret-echo', reason: 'a test', owner: 'a test', expires: '2999-01-01' },
    ]
    await writeFile(join(cwd, 'waivers.json'), JSON.stringify(waivers))

    const { verdict } = await run(['--waivers', 'waivers.json', '--strict'], {
      cwd,
      env: await echoing('everywhere'),
    })

    expect(rulesThat(verdict, 'waived')).toEqual(['security/no-secret-echo'])
  })

  test('through a proxy that is not there, whose password is not ASCII', async ({ echoing, expect }) => {
    const password = 'Pr0xy-Gehe1m-\u00fc\u00df-7Yt'
    const env = {
      ...(await echoing('in-success')),
      TARGET_BASE_URL: 'https://target.example',
      HTTPS_PROXY: `http://somebody:${encodeURIComponent(password)}@127.0.0.1:9`,
    }
    const { code } = await run([], { env, others: [password] })

    expect(code).toBe(3)
  })

  // With all sections node prints what it sends in bytes, the settings of workers, and their environment.
  test.for(['undici', 'http,https,net,tls', '*'])(
    'with NODE_DEBUG=%s',
    async (NODE_DEBUG, { echoing, expect }) => {
      const env = { ...(await echoing('in-error-message')), NODE_DEBUG }
      const { code, stderr } = await run(['--only', 'authentication/secret-key-invalid'], { env })

      expect(stderr).toMatch(/^(?:UNDICI|NET) \d+: /m)
      expect(code).toBe(0)
    },
  )

  test('that crashes from within, with the stack and a report of node', async ({ echoing, expect }) => {
    const crash = `require('node:diagnostics_channel').subscribe('net.client.socket', () => setImmediate(() => {
      throw new Error('provoked')
    }))`
    const cwd = await folderWith({ 'crash.cjs': crash })
    const env = {
      ...(await echoing('in-error-message')),
      NODE_OPTIONS: `--require ${join(cwd, 'crash.cjs')} --report-uncaught-exception --stack-trace-limit=100`,
    }
    const { code, stdout, stderr } = await run(['--max-rps', '10'], { cwd, env })

    expect(`${stdout}${stderr}`).toContain('provoked')
    expect(code).not.toBe(0)
  })
})

/** What may stand in the name of a field. */
function token(text: string): string {
  return `x-${text.replaceAll(/[^A-Za-z0-9]/g, '')}`
}
