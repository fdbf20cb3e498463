import { createPrivateKey, X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { Secret } from '../redact/secret.ts'
import { percentDecoded } from '../text/percent.ts'
import { urlOf } from '../text/url.ts'
import { isHostName, shortHost, shownUrl } from './base-url.ts'
import { Collected, issue, parsed, shortened, type Parsed } from './issue.ts'
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

/** Reads a PEM file; null if it is not given, or has no valid content, which `find` extracts or throws. */
async function readPem(
  setting: keyof typeof pemFiles,
  { checked, cwd }: { readonly checked: Checked; readonly cwd: string },
  find: (text: string) => string = certificatesIn,
): Promise<Parsed<{ readonly file: string; readonly pem: string } | null>> {
  const file = checked[setting]
  if (file === undefined) return parsed(null)
  const { text, why } = await readTextFile(resolve(cwd, file), sizeLimits.certificates)
  const pem = text === null ? '' : orEmpty(() => find(text))
  if (pem !== '') return parsed({ file: shownPath(file, cwd), pem })
  const given = `${file} (${why ?? 'a file without such content'})`
  return parsed(null, issue(setting, { given, expected: pemFiles[setting] }))
}

function orEmpty(make: () => string): string {
  try {
    return make()
  } catch {
    return ''
  }
}

/** Extracts the valid certificates from a text, without any private key. */
function certificatesIn(text: string): string {
  const all = text.match(certificates) ?? []
  return all.map((pem) => orEmpty(() => (new X509Certificate(pem), `${pem}\n`))).join('')
}

/** Reads the client certificate and its matching private key; null if neither is given. */
async function readClientCertificate(checked: Checked, cwd: string) {
  const missing = (['RUN_CERT_FILE', 'RUN_KEY_FILE'] as const).filter((name) => checked[name] === undefined)
  if (missing.length === 1)
    return parsed(null, issue(missing.join(''), { expected: 'both RUN_CERT_FILE and RUN_KEY_FILE' }))
  const cert = await readPem('RUN_CERT_FILE', { checked, cwd })
  const key = await readPem('RUN_KEY_FILE', { checked, cwd }, (text) => {
    const own = createPrivateKey(text)
    return cert.value === null || new X509Certificate(cert.value.pem).checkPrivateKey(own) ? text : ''
  })
  if (cert.value === null || key.value === null)
    return { value: null, issues: [...cert.issues, ...key.issues] }
  const { file, pem } = cert.value
  return parsed({ file, cert: pem, key: new Secret('RUN_KEY_FILE', key.value.pem) })
}

/** Checks a proxy address without showing its user name or password. */
function readProxy(text: string | undefined): Parsed<string | null> {
  if (text === undefined) return parsed(null)
  const url = /^https?:\/\/[^/]/i.test(text) ? urlOf(text) : null
  const isPlain = url !== null && [url.username, url.password].every((part) => percentDecoded(part) !== null)
  if (isPlain && isHostName(url.hostname)) return parsed(text)
  const expected = `the address of a proxy, such as http://proxy.example:3128, with http:// or https://, ${shortHost}, and percent-encoded user name and password (% is %25)`
  return parsed(null, issue('HTTPS_PROXY', { given: shortened(shownUrl(text)), expected }))
}

/** Reads the proxy, and the files with certificates and keys. */
export async function readConnection(checked: Checked, cwd: string) {
  const parts = new Collected()
  const value = {
    ca: parts.take(await readPem('RUN_CA_FILE', { checked, cwd })),
    clientCertificate: parts.take(await readClientCertificate(checked, cwd)),
    httpsProxy: parts.take(readProxy(checked.HTTPS_PROXY)),
    noProxy: checked.NO_PROXY ?? null,
  }
  return { value, issues: parts.issues }
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
