import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { Secret } from '../redact/secret.ts'
import { percentDecoded } from '../text/percent.ts'
import { isHostName, shortHost, shownUrl } from './base-url.ts'
import { issue, parsed, shortened, type Parsed } from './issue.ts'
import type { Checked } from './setting-table.ts'
import type { RunSettings } from './settings.ts'
import { shownPath } from './shown-path.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

/** Reads the PEM file named by a setting; returns null and an issue if the file has no valid content. */
async function readPem<Found>(
  { setting, file, cwd }: { readonly setting: string; readonly file: string; readonly cwd: string },
  expected: string,
  find: (text: string) => Found | null,
): Promise<Parsed<Found | null>> {
  const { text, why } = await readTextFile(resolve(cwd, file), sizeLimits.certificates)
  const found = text === null ? null : find(text)
  if (found !== null) return parsed(found)
  const given = `${file} (${why ?? 'a file without valid content'})`
  return parsed(null, issue(setting, { given, expected }))
}

// Stops at the next dashes; otherwise, a file with many BEGIN lines would take quadratic time.
const certificates = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g

/** Extracts the valid certificates from a text, without any private key. */
function certificatesIn(text: string): string | null {
  const valid = (text.match(certificates) ?? []).filter(
    (pem) => orNull(() => new X509Certificate(pem)) !== null,
  )
  return valid.length === 0 ? null : `${valid.join('\n')}\n`
}

function privateKeyIn(text: string): { readonly pem: string; readonly object: KeyObject } | null {
  return orNull(() => ({ pem: text, object: createPrivateKey(text) }))
}

function orNull<Made>(make: () => Made): Made | null {
  try {
    return make()
  } catch {
    return null
  }
}

/** Reads a PEM file of certificates. */
export async function readCaFile(file: string | undefined, cwd: string): Promise<Parsed<RunSettings['ca']>> {
  if (file === undefined) return parsed(null)
  const expected =
    'a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----); openssl x509 -inform der -in FILE converts the binary form'
  const { value: pem, issues } = await readPem(
    { setting: 'RUN_CA_FILE', file, cwd },
    expected,
    certificatesIn,
  )
  return { value: pem === null ? null : { file: shownPath(file, cwd), pem }, issues }
}

/** Reads the client certificate and its matching private key; null if neither is given. */
export async function readClientCertificate(
  { RUN_CERT_FILE: certFile, RUN_KEY_FILE: keyFile }: Checked,
  cwd: string,
): Promise<Parsed<RunSettings['clientCertificate']>> {
  if (certFile === undefined && keyFile === undefined) return parsed(null)
  if (certFile === undefined || keyFile === undefined) {
    const names = ['RUN_CERT_FILE', 'RUN_KEY_FILE'] as const
    const [missing, given] = certFile === undefined ? names : ([names[1], names[0]] as const)
    const expected = `the other half of the client certificate, since ${given} is given`
    return parsed(null, issue(missing, { expected }))
  }
  const cert = await readPem(
    { setting: 'RUN_CERT_FILE', file: certFile, cwd },
    'a PEM file with the client certificate',
    certificatesIn,
  )
  const key = await readPem(
    { setting: 'RUN_KEY_FILE', file: keyFile, cwd },
    'a PEM file with a private key without a passphrase; openssl pkey -in FILE -out OTHER removes a passphrase',
    privateKeyIn,
  )
  if (cert.value === null || key.value === null)
    return { value: null, issues: [...cert.issues, ...key.issues] }
  if (!new X509Certificate(cert.value).checkPrivateKey(key.value.object)) {
    const expected =
      'the private key of the first certificate in RUN_CERT_FILE; this key belongs to a different certificate'
    return parsed(null, issue('RUN_KEY_FILE', { given: keyFile, expected }))
  }
  return parsed({
    file: shownPath(certFile, cwd),
    cert: cert.value,
    key: new Secret('RUN_KEY_FILE', key.value.pem),
  })
}

/** Checks a proxy address without showing its user name or password. */
export function readProxy(text: string | undefined): Parsed<string | null> {
  if (text === undefined) return parsed(null)
  const url = /^https?:\/\/[^/]/i.test(text) && URL.canParse(text) ? new URL(text) : null
  const isPlain = url !== null && [url.username, url.password].every((part) => percentDecoded(part) !== null)
  if (isPlain && isHostName(url)) return parsed(text)
  const expected = `the address of a proxy, such as http://proxy.example:3128, with http:// or https://, ${shortHost}, and percent-encoded user name and password (% is %25)`
  return parsed(null, issue('HTTPS_PROXY', { given: shortened(shownUrl(text)), expected }))
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
