import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { findFault } from '../../lab/service/find.ts'
import { output, startOnFreePort } from '../../lab/stacks/on-free-port.ts'
import { makeCertificates } from '../../lib/http/testing/certificates.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import { wordsOf } from '../support/command-lines.ts'
import { run as runProgram, reference } from '../support/program-test.ts'
import { expectConformant, expectEnds, expectIncomplete } from '../support/program-test.ts'
import { emptyFolder, folderWith, settingsFor } from '../support/program.ts'
import { ruleIn, rulesThat, type ProgramResult, type Texts } from '../support/program.ts'
import { demands, describeWith, pathOf } from './installed.ts'

/** A program that listens on a port, with its configuration. */
interface Daemon {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
  /** A file beside this one. The program reads a copy of it. */
  readonly configuration: string
  /** Values that replace `@NAME@` in the file. PORT and FOLDER are predefined. */
  readonly values: Readonly<Record<string, string>>
  /** Names whose lines, which begin with `#NAME `, are active. */
  readonly active?: readonly string[]
  /** Additional files that it needs, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether this process, and no other one, listens on a port. Default: whether anything does. */
  readonly listens?: (port: number) => Promise<boolean>
}

/** Starts a program in the foreground, with its own folder, on a free port of 127.0.0.1. */
async function startDaemon({ program, args, configuration, listens, ...given }: Daemon) {
  const { values, active = [], files = {} } = given
  const [path, folder] = [pathOf(program), await emptyFolder()]
  if (path === null) throw new Error(`${program} is not installed: run .ci/install-gateways`)
  // Workers that do not run as root need access.
  await chmod(folder, 0o755)
  const template = (await readFile(new URL(configuration, import.meta.url), 'utf8')).replaceAll(
    /^( *)#(\w+) (?=\S| )/gm,
    (all, indent: string, name: string) => (active.includes(name) ? indent : all),
  )
  const prepared = async (port: number) => {
    const all: Readonly<Record<string, string>> = { ...values, PORT: String(port), FOLDER: folder }
    const text = template.replaceAll(/@(\w+)@/g, (whole, name: string) => all[name] ?? whole)
    for (const [name, content] of Object.entries({ ...files, [configuration]: text }))
      await writeFile(join(folder, name), content)
    return { path, args: args(folder), env: { PATH: process.env['PATH'], HOME: folder } }
  }
  /** The content of a file in the folder. Empty if the file does not exist yet. */
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8').catch(() => '')
  return { read, ...(await startOnFreePort(folder, prepared, listens)) }
}

/** A program that terminates TLS, offers HTTP/2, compresses, and keeps its connections to the service alive. */
interface Gateway extends Pick<Daemon, 'args' | 'configuration' | 'active'> {
  readonly name: string
  /** The program that must be installed, or the full path of a module of it. */
  readonly program: string
  /** Its log files of requests and errors. */
  readonly logs: readonly string[]
}

const apache = {
  configuration: 'apache2.conf',
  args: (folder: string) => ['-f', `${folder}/apache2.conf`, '-DFOREGROUND'],
  logs: ['access.log', 'error.log'],
}

/** Every gateway that is common in front of staging systems. */
const gateways: Readonly<Record<'nginx' | 'haproxy' | 'caddy' | 'apache2', Gateway>> = {
  nginx: {
    name: 'nginx',
    program: 'nginx',
    configuration: 'nginx.conf',
    args: (folder) => ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    logs: ['access.log', 'error.log'],
  },
  haproxy: {
    name: 'HAProxy',
    program: 'haproxy',
    configuration: 'haproxy.cfg',
    args: (folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
    logs: [output],
  },
  caddy: {
    name: 'Caddy',
    program: 'caddy',
    configuration: 'Caddyfile',
    args: (folder) => ['run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'],
    logs: ['access.log', 'caddy.log'],
  },
  apache2: { name: 'Apache', program: 'apache2', ...apache },
}

/** Debian's Apache with ModSecurity, which enforces the OWASP Core Rule Set with its defaults. */
const modSecurity = '/usr/lib/apache2/modules/mod_security2.so'
const firewall: Gateway = { name: 'ModSecurity', program: modSecurity, ...apache, active: ['firewall'] }

/** The private certificate authority of a test file. */
const certificates = makeCertificates()

/** A service behind a gateway. */
type Staging = Awaited<ReturnType<typeof behind>>

/** Starts a service behind a gateway until the test ends. */
async function behind(gateway: Gateway, options: ReferenceOptions = {}, more: readonly string[] = []) {
  const service = await reference(options)
  const { cert, key } = certificates.local
  const asRoot = process.getuid?.() === 0 ? ['root'] : []
  const { port, read, close } = await startDaemon({
    ...gateway,
    program: gateway.configuration === apache.configuration ? 'apache2' : gateway.program,
    values: { UPSTREAM: new URL(service.baseUrl).host },
    active: [...(gateway.active ?? []), ...more, ...asRoot],
    files: { 'certificate.pem': cert, 'key.pem': key, 'both.pem': cert + key },
    listens: async (own) => (await chosenProtocol(own, ['http/1.1'])) !== null,
  })
  onTestFinished(close)
  const target = `127.0.0.1:${port}`
  const RUN_CA_FILE = join(await folderWith({ 'authority.pem': certificates.ca }), 'authority.pem')

  const settings = { ...settingsFor(service), TARGET_BASE_URL: `https://${target}`, RUN_CA_FILE }
  return {
    service,
    port,
    /** Host and port. */
    target,
    /** The gateway's logs of requests and errors so far. */
    log: async () => (await Promise.all(gateway.logs.map(read))).join(''),
    /** Judges the service with every fixture. */
    run: (words = '', env: Texts = {}) => runProgram(wordsOf(words), { env: { ...settings, ...env } }),
  }
}

/**
 * The protocol that a server on 127.0.0.1 chooses by ALPN from those offered; empty if it chooses none. Null if the server does not
 * use TLS with a certificate of {@link certificates}: it is then another process.
 */
async function chosenProtocol(port: number, offered: readonly string[]): Promise<string | null> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: certificates.ca, ALPNProtocols: [...offered] })
  try {
    await once(socket, 'secureConnect')
    return socket.alpnProtocol === false ? '' : socket.alpnProtocol
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}

/** Starts Debian's tinyproxy until the test ends. It tunnels only to the given port. */
async function startTinyproxy(allowedPort: number) {
  const { port, read, close } = await startDaemon({
    program: 'tinyproxy',
    configuration: 'tinyproxy.conf',
    args: (folder) => ['-d', '-c', `${folder}/tinyproxy.conf`],
    values: { ALLOWED: String(allowedPort) },
  })
  onTestFinished(close)
  /** The tunnels requested so far, as `host:port`. */
  const tunnels = async (): Promise<readonly string[]> =>
    [...(await read('tinyproxy.log')).matchAll(/CONNECT (\S+) HTTP/g)].map(([, host = '']) => host)
  return { at: `127.0.0.1:${port}`, tunnels }
}

/** The content coding of the answer to a plain valid request that accepts gzip, or undefined. */
async function codingOfList({ port, service }: Staging): Promise<string | undefined> {
  const { apiKey, secretKey } = service.clients.permitted
  const credentials = { 'x-api-key': apiKey, 'x-secret-key': secretKey }
  const headers = { ...credentials, 'x-version': '1', 'accept-encoding': 'gzip' }
  const path = '/api/customizations/list'
  const request = get({ host: '127.0.0.1', port, ca: certificates.ca, agent: false, path, headers })
  const [answer]: IncomingMessage[] = await once(request, 'response')
  return answer?.resume().headers['content-encoding']
}

let hosts = 0

/**
 * An address of this machine that no other test listens on. On a shared address another service could take the port of one that
 * stopped, and answer instead.
 */
function hostOfItsOwn(): string {
  hosts += 1
  return `127.${1 + (Math.floor(process.pid / 256) % 250)}.${process.pid % 256}.${1 + (hosts % 250)}`
}

/** Faults that only fuzzing, a cache or a reused connection reveals. */
const faultsBehind: readonly (readonly [Gateway, string])[] = [
  [gateways.nginx, 'list-fails-late-on-connection'],
  [gateways.haproxy, 'error-code-is-a-number-on-reused-connection'],
  [gateways.caddy, 'api-key-quotes-stripped'],
  [gateways.apache2, 'success-cached-by-url'],
  [firewall, 'api-key-quotes-stripped'],
]

for (const [gateway, fault] of faultsBehind) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    test(`the suite finds a fault: ${fault}`, async () => {
      const { run } = await behind(gateway, { faults: [fault] })

      const result = await run()

      expectEnds(result, 1)
      const violated = rulesThat(result.verdict, 'failed')
      const meant = findFault(fault).rules.filter((rule) => violated.includes(rule))
      expect(meant, `red: ${violated.join(', ')}`).not.toEqual([])
    })
  })
}

for (const gateway of Object.values(gateways)) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    // A gate sends a part of this. What a nightly run adds is among the refused values below.
    test('a conformant service is conformant in acceptance, even with HTTP/2 and compression', async () => {
      const staging = await behind(gateway)

      expectConformant(await staging.run('--profile acceptance'))
      expect(await chosenProtocol(staging.port, ['h2', 'http/1.1'])).toBe('h2')
      expect(await chosenProtocol(staging.port, ['http/1.1'])).toBe('http/1.1')
      expect(await codingOfList(staging)).toBe('gzip')
    })

    test('with common hardening, a conformant service is conformant', async () => {
      const { run } = await behind(gateway, {}, ['hardened'])

      // Below the rate limit of the gateway.
      expectConformant(await run('--strict --max-rps 100'))
    })

    test('values and targets that the gateway itself refuses are not blamed on the service', async () => {
      const { service, run } = await behind(gateway)

      const result = await run('--strict --max-requests 5000 --only fuzz/* --fuzz-cases 300')

      expectEnds(result, 0)
      for (const id of ['fuzz/headers', 'fuzz/query'] as const)
        expect(ruleIn(result.verdict, id)).toMatchObject({ status: 'passed', findings: [] })
      // Some requests never reached the service.
      expect(service.requests()).toBeLessThan(result.verdict?.requests.sent ?? 0)
    })

    test('a service that restarts is conformant', async () => {
      let again: ReferenceService | null = null
      onTestFinished(() => again?.close())
      const staging: Staging = await behindUntil(gateway, 100, async ({ service, log }) => {
        // The gateway has reported that the service is gone.
        await expect.poll(() => log()).toMatch(/\b50[23]\b/)
        const { hostname, port } = new URL(service.baseUrl)
        again = await startReference({ host: hostname, port: Number(port) })
      })

      const result = await staging.run('--strict')

      expect(again, 'the service restarted').not.toBeNull()
      expectConformant(result)
    })
  })
}

/** A service that leaves its nth request unanswered, stops listening and calls `then`. */
async function behindUntil(gateway: Gateway, nth: number, then: (staging: Staging) => unknown = () => null) {
  const staging: Staging = await behind(gateway, {
    host: hostOfItsOwn(),
    intervene: async () => {
      const { service } = staging
      if (service.requests() < nth) return false
      if (service.requests() === nth) await service.close().then(() => then(staging))
      return true
    },
  })
  return staging
}

const installed = Object.values(gateways).filter(({ program }) => demands(program))

test.skipIf(installed.length === 0).for([
  ['stops for good', ['stopped answering plain valid requests']],
  ['never answered', []],
] as const)('a service that %s is reported behind every gateway and not blamed', async ([ends, says]) => {
  const judged = async (gateway: Gateway): Promise<ProgramResult> => {
    const { service, run } = await behindUntil(gateway, 60)
    if (ends === 'never answered') await service.close()
    return run()
  }
  // A run waits long for a service that is gone, so all wait at once.
  for (const result of await Promise.all(installed.map(judged))) {
    expectIncomplete(result, says)
    expect(result.stdout).toMatch(/a\s+gateway\s+answered\s+50[23]\s+in\s+place\s+of\s+the\s+service/i)
  }
})

/** A release is tested in every profile with five seeds. */
const isRelease = (process.env['TESTS_RELEASE'] ?? '') !== ''
const profiles = isRelease ? ['gate', 'acceptance', 'nightly'] : ['gate']
const seeds = isRelease ? ['1', '2', '3', '4', '5'] : ['1']
const runs = profiles.flatMap((profile) => seeds.map((seed) => [profile, seed] as const))

describeWith(firewall.program, 'behind the OWASP Core Rule Set with its defaults', () => {
  test.for(runs)('a conformant service is conformant: %s, seed %s', async ([profile, seed]) => {
    const { log, run } = await behind(firewall)

    expectConformant(await run(`--strict --profile ${profile} --seed ${seed}`))
    // The firewall was active and itself refused some requests.
    expect(await log()).toMatch(/ModSecurity: Access denied with code 403/)
  })
})

// tests/connections.test.ts and lib/http/transport-tls.test.ts have what else proxies do.
describeWith(demands('nginx') ? 'tinyproxy' : 'nginx', 'through tinyproxy, to nginx', () => {
  test('a conformant service is conformant, and every connection is tunnelled', async () => {
    const { port, target, run } = await behind(gateways.nginx)
    const { at, tunnels } = await startTinyproxy(port)

    const result = await run('--strict --fuzz-cases 60 --max-requests 2000', { HTTPS_PROXY: `http://${at}` })

    // Requests that only the raw socket can send do not go through a proxy.
    expectConformant(result, ['fuzz/headers'])
    expect(new Set(await tunnels())).toEqual(new Set([target]))
  })
})
