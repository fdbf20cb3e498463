import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { echoes } from '../lab/echoes/all-echoes.ts'
import { everyCanary } from '../lab/echoes/canaries.ts'
import { echo, write as writeAnswer } from '../lab/echoes/echo.ts'
import { leaks } from './leaks/leaks.ts'
import { runInProcess } from './support/in-process.ts'
import { folderWith, rulesThat, runProgram, whileServing } from './support/program.ts'
import type { ProgramOptions, ProgramResult } from './support/program.ts'

interface Canary extends ProgramOptions {
  /** Files in the working folder that contained credentials before the run. */
  readonly except?: readonly string[]
  /** Texts that must not appear anywhere, in addition to the canaries. */
  readonly others?: readonly string[]
}

/**
 * Runs the program and fails the test if a canary appears in any byte that it printed or wrote. For a separate process, the process
 * list is searched too.
 */
async function run(
  args: readonly string[],
  { except = [], others = [], ...options }: Canary = {},
  runs: typeof runProgram = options.started === undefined ? runInProcess : runProgram,
): Promise<ProgramResult> {
  const argv: string[] = []
  const started = (child: ChildProcess): void => {
    // Title and arguments, as Linux shows them to all users.
    const file = `/proc/${String(child.pid)}/cmdline`
    const read = (): Promise<string> => readFile(file, 'utf8').catch(() => '')
    child.once('spawn', () => void read().then((text) => argv.push(text)))
    options.started?.(child)
  }
  const result = await runs(args, runs === runProgram ? { ...options, started } : options)
  // Arguments from the test itself are in the process list, whatever the program does.
  const own = args.some((arg) => [...everyCanary, ...others].some((one) => arg.includes(one)))
  const { stdout, stderr, cwd: reportsFolder } = result
  const shown = { stdout, stderr, reportsFolder, except, argv: own ? [] : argv }

  expect(await leaks(shown, [...everyCanary, ...others])).toEqual([])
  return result
}

/** Starts an echo by its name. It ends with the test. */
async function echoing(name: string): Promise<Readonly<Record<string, string>>> {
  const found = echoes.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no echo ${name}`)
  const { env, close } = await found.start()
  onTestFinished(close)
  return env
}

// The proof covers every echo.
test.for(['everywhere', 'in-error-code', 'client-table'])(
  'no credential leaves a run against an echo: %s, with --format json',
  async (name) => {
    const by = name === 'everywhere' ? runProgram : runInProcess
    const { stdout, verdict } = await run(['--format', 'json'], { env: await echoing(name) }, by)

    expect(JSON.parse(stdout)).toEqual(verdict)
  },
)

const commands = ['--help', 'run --help', '--version', 'rules --format json', 'plan', 'plan --strict']
test.for(commands)('no credential leaves any other command: %s', async (command) => {
  const { code } = await run(command.split(' '), { env: await echoing('in-success') })

  expect(code).toBe(0)
})

test.for(['everywhere', 'refused-by-name', 'in-reason-phrase'])(
  'no credential leaves doctor, against %s',
  async (name) => {
    const { stdout } = await run(['doctor'], { env: await echoing(name) })

    expect(stdout).toContain('TARGET_API_KEY')
  },
)

test('no credential leaves replay, for a finding that echoes everything', async () => {
  const env = await echoing('in-html-page')
  const { verdict } = await run(['--only', 'authentication/secret-key-invalid'], { env })
  const found = verdict?.rules.flatMap(({ findings }) => findings)[0]

  const { code, stdout } = await run(['replay', found?.case ?? ''], { env })

  expect(stdout).toContain('TARGET_API_KEY')
  expect(code).toBe(1)
})

test('no credential leaves serve, with credentials in its environment', async () => {
  const { code } = await whileServing(['serve'], async () => {}, { env: await echoing('in-success') }, run)

  expect(code).toBe(0)
})

test('no credential leaves proxy, which prints a line per request', async () => {
  const env = await echoing('everywhere')
  const hidden = { [`x-${key.replaceAll(/[^A-Za-z0-9]/g, '')}`]: secret, cookie: secret }
  const headers = { 'x-api-key': key, 'x-secret-key': secret, 'x-version': '1', ...hidden }
  const path = `/api/customizations/list?secret=${encodeURIComponent(secret)}`
  let answered = ''
  const asking = async (text: string): Promise<void> => {
    const [, from = ''] = /listens at (http:\/\/\S+)/.exec(text) ?? []
    answered = await (await fetch(`${from}${path}`, { headers })).text()
  }
  const args = ['proxy', '--base-url', env['TARGET_BASE_URL'] ?? '']
  const { stdout } = await whileServing(args, asking, { env }, run)

  expect(answered).toContain('Kp7')
  expect(stdout).toContain('GET /api/customizations/list 200')
})

interface Mistake {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A file in the working folder that contains credentials. */
  readonly file?: Readonly<Record<string, unknown>>
}

const [key = '', secret = '', second = ''] = everyCanary
const client = { TARGET_BASE_URL: 'http://127.0.0.1:9', TARGET_API_KEY: key, TARGET_SECRET_KEY: secret }
const address = 'TARGET_BASE_URL=http://127.0.0.1:9'
const userInfo = `${encodeURIComponent(key)}:${encodeURIComponent(secret)}`
const pem = (what: string, text: string): string => `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----`
const asArguments = (...args: readonly string[]): Mistake => ({ args })
const inSettings = (env: Readonly<Record<string, string>>): Mistake => ({ env })
const inEnvFile = (...lines: readonly string[]): Mistake => ({ file: { '.env': `${lines.join('\n')}\n` } })
const inFileOf = (flag: string, given: unknown): Mistake => ({
  args: [`--${flag}`, 'given'],
  file: { given },
})

// lib/doors/cli/refused-commands.test.ts has credentials as arguments, and tests/replay.test.ts as a case.
const mistakes: Readonly<Record<string, Mistake>> = {
  'in misspelled settings': inSettings({
    TARGET_SECRET_KYE: second,
    FIXTURE_SECOND_API_KEYS: second,
    target_api_key: second,
  }),
  'in the user info of the address': inSettings({ TARGET_BASE_URL: `https://${userInfo}@127.0.0.1` }),
  'unescaped in the address': inSettings({
    TARGET_BASE_URL: `https://${key}:${secret}@127.0.0.1/${second}?k=${second}#${second}`,
  }),
  'instead of the address': inSettings({ TARGET_BASE_URL: secret }),
  'as the value of an unknown flag': asArguments(`--secret-key=${secret}`, `--target-api-key=${key}`),
  'as a file name': {
    args: ['--waivers', secret, '--endpoints', key, '--baseline', key, '--ca-file', secret],
  },
  'as an unknown choice, with an equals sign': asArguments('rules', `--format=${second}`),
  'in other settings': inSettings({
    TARGET_QUERY: `key=${secret} ü`,
    TARGET_LABEL: secret,
    FIXTURE_INVALID_QUERY: `?${key}`,
    RUN_ONLY: `${key},${secret}`,
    TARGET_VERSION: secret,
  }),
  'with white space': inSettings({ TARGET_API_KEY: `${key}\n`, TARGET_SECRET_KEY: ` ${secret}\t` }),
  'beyond ASCII': inSettings({ TARGET_API_KEY: `ü${key}`, TARGET_SECRET_KEY: `${secret}\u201d` }),
  'with identical key and secret, and an incomplete client': inSettings({
    TARGET_SECRET_KEY: key,
    FIXTURE_SECOND_API_KEY: second,
    FIXTURE_INACTIVE_SECRET_KEY: secret,
  }),
  'that is a whole file': inSettings({ TARGET_SECRET_KEY: pem('PRIVATE KEY', secret.repeat(200)) }),
  'in an invalid proxy address': inSettings({
    TARGET_BASE_URL: 'https://127.0.0.1:9',
    HTTPS_PROXY: `${key}:${secret}@`,
  }),
  'in an unquoted env file': inEnvFile(address, `TARGET_API_KEY=${key}#1`, `TARGET_SECRET_KEY=${secret}`),
  'in an env file with a colon': inEnvFile(address, `TARGET_API_KEY: ${key}`, secret),
  'in misspelled lines': inEnvFile(address, `TARGET_APIKEY=${key}`, `TARGET_SECRET-KEY=${secret}`),
  'in an env file with a NUL': inEnvFile(`TARGET_API_KEY=${key}\0`, `TARGET_SECRET_KEY=${secret}`),
  'in a waivers file': inFileOf('waivers', [
    { rule: secret, fingerprint: secret, reason: secret, expires: secret },
  ]),
  'in a waivers file that is not JSON': inFileOf('waivers', `[{ "rule": "${secret}`),
  'in endpoints': inFileOf('endpoints', [{ method: secret, path: `/${secret}`, [secret]: secret }]),
  'in a baseline': inFileOf('baseline', { format: secret, [secret]: secret }),
  'in a CA file': inFileOf('ca-file', pem('CERTIFICATE', secret)),
}

test.for(Object.entries(mistakes))(
  'an error message never shows a credential %s',
  async ([, { args = [], env, file = {} }]) => {
    const cwd = await folderWith(file)
    const settings = '.env' in file ? {} : { ...client, ...env }

    const { code } = await run(args, { cwd, env: settings, except: Object.keys(file) })

    expect(code).toBe(2)
  },
)

test('no credential leaves a run whose service returns packed sessions in fields, lists and codes', async () => {
  const { env, close } = await echo({
    name: 'packed-sessions',
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

test('no credential leaves a run that writes and compares a baseline of answers with credentials as property names', async () => {
  const env = { ...(await echoing('in-property-names')), RUN_BASELINE: 'baseline.json' }
  const { cwd } = await run([], { env })
  const learned = await readFile(join(cwd, 'baseline.json'), 'utf8')

  const { verdict } = await run([], { env, cwd })

  expect(learned).toContain('TARGET_API_KEY')
  expect(verdict?.baseline).toMatchObject({ did: 'compared' })
})

test('no credential leaves a run whose waivers cover the echoes', async () => {
  const waiver = { rule: 'security/no-secret-echo', reason: 'a', owner: 'a', expires: '2999-01-01' }
  const cwd = await folderWith({ 'waivers.json': [waiver] })
  const env = await echoing('everywhere')

  const { verdict } = await run(['--waivers', 'waivers.json', '--strict'], { cwd, env })

  expect(rulesThat(verdict, 'waived')).toEqual(['security/no-secret-echo'])
})

test('no credential leaves a run through an absent proxy with a non-ASCII password', async () => {
  const password = 'Pr0xy-Gehe1m-\u00fc\u00df-7Yt'
  const env = {
    ...(await echoing('in-success')),
    TARGET_BASE_URL: 'https://target.example',
    HTTPS_PROXY: `http://somebody:${encodeURIComponent(password)}@127.0.0.1:9`,
  }
  const { code } = await run([], { env, others: [password] })

  expect(code).toBe(3)
})

// With all sections, Node prints the bytes that it sends, and the settings and environment of workers.
test.for(['undici', 'http,https,net,tls', '*'])(
  'no credential leaves a run with NODE_DEBUG=%s',
  async (NODE_DEBUG) => {
    const env = { ...(await echoing('in-error-message')), NODE_DEBUG }
    const { code, stderr } = await run(['--only', 'authentication/secret-key-invalid'], { env })

    expect(stderr).toMatch(/^(?:UNDICI|NET) \d+: /m)
    expect(code).toBe(0)
  },
)

test('no credential leaves a run that crashes, with a stack trace and a Node report', async () => {
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
