import { createPrivateKey, X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { Secret, type Credentials } from '../redact/secret.ts'
import { clientNames, clientRows, ofClients, type ClientName } from '../specification/client-rows.ts'
import { memberNames } from '../text/members.ts'
import { distance } from '../text/nearest.ts'
import { percentDecoded, urlOf } from '../text/url.ts'
import { didYouMean, issue, parsed, shortened, Collected } from './issue.ts'
import { grammar, type SettingName, type Texts, type Checked } from './setting-table.ts'
import { readTextFile, shownPath, sizeLimits } from './user-file.ts'

/** The address of a target: its origin and path prefix, without a trailing slash. */
type Address = Readonly<{ baseUrl: string; loopback: boolean }>

/** Maximum length of an address, in characters; every report shows the address. */
const longestAddress = 2_000
/** Maximum length of a host name, in characters (RFC 1035, 2.3.4); Node fails to look up longer names. */
const longestHost = 253
const shortHost = `a host name of at most ${longestHost} characters`

/** Whether a host name can be looked up. */
function isHostName(hostname: string) {
  return hostname.replace(/\.$/, '').length <= longestHost
}

const addressForm = /^https?:\/\/[^/?#@\s\\]+((?:\/[^?#\s\\]*)?)$/i
const plainPath = new RegExp(grammar.prefix.pattern)
const addressExpected = `an address such as https://staging.example.com/prefix, without user name, query or fragment, with ${shortHost}, a port up to 65535 and ${grammar.prefix.description}, at most ${longestAddress} characters; or embedded`

/** Parses an address; the value is null if the address is invalid. */
export function parseBaseUrl(text: string) {
  const path = text.length > longestAddress ? undefined : addressForm.exec(text)?.[1]
  const url = path !== undefined && plainPath.test(path) ? urlOf(text) : null
  if (url === null || path === undefined || /\p{Cc}/u.test(text) || !isHostName(url.hostname)) {
    const hint = text.includes('@')
      ? 'set credentials in TARGET_API_KEY and TARGET_SECRET_KEY'
      : text.includes('?')
        ? 'if the list endpoint needs a query, set TARGET_QUERY'
        : schemeHint(text)
    const given = shortened(shownUrl(text)) || 'an empty value'
    return parsed(null, issue('TARGET_BASE_URL', { given, expected: addressExpected, hint }))
  }
  return parsed({ baseUrl: url.origin + path.replace(/\/+$/, ''), loopback: isLoopback(url.hostname) })
}

/**
 * Removes the endpoint's path, or the start of it (`/api`, `/api/customizations`), from the end of a base URL; returns null if neither is
 * present. Paths are appended to a base URL, so a URL copied with its path fails.
 */
export function withoutEndpointPath(baseUrl: string) {
  return endsInEndpointPath.exec(baseUrl)?.[1] ?? null
}

const endsInEndpointPath = /^(https?:\/\/[^/]+.*?)\/+api(?:\/customizations(?:\/list)?)?\/*$/is

/** Hides the user info, query and fragment of an address, which may contain secrets. */
export function shownUrl(text: string) {
  return text
    .replace(/^([a-z][a-z\d+.-]*:\/*)?.*@/is, '$1<user info>@')
    .replace(/\?.*$/s, '?<query>')
    .replace(/#.*$/s, '#<fragment>')
}

/** Whether a host name, as returned by `URL`, refers to this machine. */
export function isLoopback(hostname: string) {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

function schemeHint(text: string) {
  if (text === '') return 'check that the variable for --base-url is set'
  if (text.length > longestAddress || /^https?:\/\//i.test(text)) return null
  if (distance(text.toLowerCase(), 'embedded') <= 2) return didYouMean('embedded')
  const host = /^(?:h?t{1,2}p?s?:\/*)?([\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:\/[^@?#]*)?$/i.exec(text)?.[1]
  if (host === undefined) return null
  const scheme = isLoopback(host) ? 'http' : 'https'
  return didYouMean(`${scheme}://${text.replace(/^h?t{1,2}p?s?:\/*(?=\D)/i, '')}`)
}

/** The target of a run: an address, the embedded service, or neither, which is always accompanied by an issue. */
export type ResolvedTarget = Readonly<{
  address: Address | null
  embedded: boolean
  /** Whether it needs a client. The embedded service, even if it is misspelt, does not. */
  needsClient: boolean
  /** The given settings that the embedded service ignores, because it has its own clients. */
  unused: readonly SettingName[]
}>

/** Finds the target. `searched` names the sources of the settings, for users whose settings are elsewhere. */
export function resolveTarget({ texts, searched }: Readonly<{ texts: Texts; searched: string }>) {
  const { TARGET_BASE_URL: text } = texts
  const target: ResolvedTarget = { address: null, embedded: false, needsClient: false, unused: [] }
  const given = (wanted: RegExp) => memberNames(texts).filter((name) => wanted.test(name))
  if (text === 'embedded') return parsed({ ...target, embedded: true, unused: given(ofOtherServices) })
  if (text !== undefined) {
    const { value: address, issues } = parseBaseUrl(text)
    const needsClient = address !== null || distance(text.toLowerCase(), 'embedded') > 2
    return parsed({ ...target, address, needsClient }, ...issues)
  }
  const others = given(/^(?:TARGET_|FIXTURE_|RUN_PROFILE$)/)
  const hint =
    others.length === 0
      ? `${searched}; set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or use the suite's own reference service with --base-url embedded`
      : `needed because ${others.slice(0, 3).join(', ')} ${others.length > 1 ? 'are' : 'is'} given; ${searched}`
  const missing = issue('TARGET_BASE_URL', { expected: 'the address of the service, or embedded', hint })
  return parsed({ ...target, needsClient: others.length > 0 }, missing)
}

const ofOtherServices = /^(?:TARGET_(?!BASE_URL|LABEL|BUILD|ENDPOINTS)|FIXTURE_|HTTPS_PROXY$)/

/** The address that a command listens on; the port 0 means any free port. */
export type ListenAddress = Readonly<{ host: string; port: number }>

/** Warns if other machines can reach `host`; `what` names what they could reach. */
export function reachableWarnings(host: string, what: string) {
  const warning = `WARNING: with --host ${host}, other machines on the network can reach ${what}`
  return isLoopback(host) || host === '::1' ? [] : [warning]
}

type Prefix<Name = SettingName> = Name extends `${infer Beginning}_API_KEY` ? Beginning : never

/** A client with its settings. */
export function clientEntry(name: ClientName) {
  const prefix: Prefix = clientRows[name].prefix
  return { name, apiKey: `${prefix}_API_KEY`, secretKey: `${prefix}_SECRET_KEY` } as const
}

/** The credentials of a client, named by their settings. */
export function credentialsOf(name: ClientName, texts: Readonly<Record<'apiKey' | 'secretKey', string>>) {
  const { apiKey, secretKey } = clientEntry(name)
  return { apiKey: new Secret(apiKey, texts.apiKey), secretKey: new Secret(secretKey, texts.secretKey) }
}

/** Every client with its settings. */
export const clientTable = clientNames.map(clientEntry)

/** Names a client in a sentence, by the setting for its key. */
export function clientSetting(client: ClientName) {
  return `the client of ${clientEntry(client).apiKey}`
}

/** Credentials of each client, null if not configured. */
export type Clients = ReturnType<typeof readClients>['value']

/** The clients, each of which must get a different answer. That of the target may be required, and a quota requires its client. */
export function readClients(checked: Checked, texts: Texts, needsClient: boolean) {
  const required = [needsClient && 'target', texts.FIXTURE_DISPOSABLE_QUOTA !== undefined && 'disposable']
  const missing = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const settings = [apiKey, secretKey].filter((setting) => texts[setting] === undefined)
    const expected = `both ${apiKey} and ${secretKey} of a client`
    const isWrong = settings.length === 1 || (settings.length === 2 && required.includes(name))
    return isWrong ? settings.map((setting) => issue(setting, { expected, hint: noFlag })) : []
  })
  const clients = ofClients((name): Credentials | null => {
    const entry = clientEntry(name)
    const { [entry.apiKey]: apiKey, [entry.secretKey]: secretKey } = checked
    return apiKey === undefined || secretKey === undefined ? null : credentialsOf(name, { apiKey, secretKey })
  })
  const same = clientTable.flatMap(({ name, apiKey, secretKey }, index) => {
    const twin = clientTable
      .slice(0, index)
      .find((one) => checked[one.apiKey] === checked[apiKey] && checked[one.secretKey] === checked[secretKey])
    if (twin === undefined || clients[name] === null) return []
    const given = `the same client as ${twin.apiKey} and ${twin.secretKey}`
    const expected = 'a separate client: the two must get different answers, so they cannot be the same'
    const hint = `leave ${apiKey} and ${secretKey} out if you have no such client`
    return [issue(apiKey, { given, expected, hint })]
  })
  return parsed(clients, ...missing, ...same)
}

const noFlag =
  'set it in the environment or in .env; it has no flag, because anyone could read it in the process list'

// Stops at the next dashes; otherwise, a file with many BEGIN lines would take quadratic time.
const certificates = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g

/** What each PEM file must contain. */
const pemFiles = {
  RUN_CA_FILE:
    'a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----); openssl x509 -inform der -in FILE converts the binary form',
  RUN_CERT_FILE: 'a PEM file with the client certificate',
  RUN_KEY_FILE:
    'a PEM file with the private key of the first certificate in RUN_CERT_FILE, without a passphrase; openssl pkey -in FILE -out OTHER removes one',
}

function orEmpty(make: () => string) {
  try {
    return make()
  } catch {
    return ''
  }
}

/** Extracts the valid certificates from a text, without any private key. */
function certificatesIn(text: string) {
  const all = text.match(certificates) ?? []
  return all.map((pem) => orEmpty(() => (new X509Certificate(pem), `${pem}\n`))).join('')
}

/** Checks a proxy address without showing its user name or password. */
function readProxy(text: string | undefined) {
  if (text === undefined) return parsed(null)
  const url = /^https?:\/\/[^/]/i.test(text) ? urlOf(text) : null
  const isPlain = url !== null && [url.username, url.password].every((part) => percentDecoded(part) !== null)
  if (isPlain && isHostName(url.hostname)) return parsed(text)
  const expected = `the address of a proxy, such as http://proxy.example:3128, with http:// or https://, ${shortHost}, and percent-encoded user name and password (% is %25)`
  return parsed(null, issue('HTTPS_PROXY', { given: shortened(shownUrl(text)), expected }))
}

/** Reads the proxy, and the files with certificates and keys; each is null if it is not given or wrong. */
export async function readConnection(checked: Checked, cwd: string) {
  const parts = new Collected()
  /** Reads a PEM file, whose valid content `find` extracts or throws. */
  const readPem = async (setting: keyof typeof pemFiles, find = certificatesIn) => {
    const { [setting]: file } = checked
    if (file === undefined) return null
    const { text, why } = await readTextFile(resolve(cwd, file), sizeLimits.certificates)
    const pem = text === null ? '' : orEmpty(() => find(text))
    if (pem !== '') return { file: shownPath(file, cwd), pem }
    const given = `${file} (${why ?? 'a file without such content'})`
    return parts.take(parsed(null, issue(setting, { given, expected: pemFiles[setting] })))
  }
  const ca = await readPem('RUN_CA_FILE')
  const missing = (['RUN_CERT_FILE', 'RUN_KEY_FILE'] as const).filter((name) => checked[name] === undefined)
  const isHalf = missing.length === 1
  const half = issue(missing.join(''), { expected: 'both RUN_CERT_FILE and RUN_KEY_FILE' })
  if (isHalf) parts.issues.push(half)
  const cert = isHalf ? null : await readPem('RUN_CERT_FILE')
  const ofCert = (text: string) => {
    const own = createPrivateKey(text)
    return cert === null || new X509Certificate(cert.pem).checkPrivateKey(own) ? text : ''
  }
  const key = isHalf ? null : await readPem('RUN_KEY_FILE', ofCert)
  const value = {
    ca,
    clientCertificate: cert &&
      key && { file: cert.file, cert: cert.pem, key: new Secret('RUN_KEY_FILE', key.pem) },
    httpsProxy: parts.take(readProxy(checked.HTTPS_PROXY)),
    noProxy: checked.NO_PROXY ?? null,
  }
  return parsed(value, ...parts.issues)
}

/**
 * The password in a proxy address, both as written and decoded. Without a colon, the whole user info may be a token. The user name is not
 * secret, because it is often an ordinary word, such as `jenkins`.
 */
export function passwordsIn(address: string) {
  const userInfo = /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1] ?? ''
  const password = userInfo.split(/:(.*)/s)[1] ?? userInfo
  return [...new Set([password, percentDecoded(password) ?? password])].filter((spelling) => spelling !== '')
}
