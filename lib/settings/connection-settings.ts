import { createPrivateKey, X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { Secret } from '../redact/secret.ts'
import { percentDecoded } from '../text/percent.ts'
import { urlOf } from '../text/url.ts'
import { isHostName, shortHost, shownUrl } from './base-url.ts'
import { Collected, issue, parsed, shortened } from './issue.ts'
import type { Checked } from './setting-table.ts'
import { readTextFile, shownPath, sizeLimits } from './user-file.ts'

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
  const half = issue(missing.join(''), { expected: 'both RUN_CERT_FILE and RUN_KEY_FILE' })
  if (missing.length === 1) parts.issues.push(half)
  const cert = missing.length === 1 ? null : await readPem('RUN_CERT_FILE')
  const ofCert = (text: string) => {
    const own = createPrivateKey(text)
    return cert === null || new X509Certificate(cert.pem).checkPrivateKey(own) ? text : ''
  }
  const key = missing.length === 1 ? null : await readPem('RUN_KEY_FILE', ofCert)
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
export function passwordsIn(address: string): readonly string[] {
  const userInfo = /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1] ?? ''
  const password = userInfo.split(/:(.*)/s)[1] ?? userInfo
  return [...new Set([password, percentDecoded(password) ?? password])].filter((spelling) => spelling !== '')
}
