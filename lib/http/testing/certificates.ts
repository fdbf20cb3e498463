import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private authority, and what it signed; all as PEM. */
export interface Certificates {
  readonly ca: string
  /** For 127.0.0.1 and localhost. */
  readonly local: { readonly key: string; readonly cert: string }
  /** For another host. */
  readonly other: { readonly key: string; readonly cert: string }
  /** For 127.0.0.1 and localhost, expired yesterday. */
  readonly expired: { readonly key: string; readonly cert: string }
  /** For 127.0.0.1 and localhost, signed by no authority but itself. */
  readonly selfSigned: { readonly key: string; readonly cert: string }
}

const here = 'IP:127.0.0.1,DNS:localhost'

/** Makes certificates that are valid for two days, with the `openssl` command. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const openssl = (...args: readonly string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const makeKey = (name: string): string =>
    openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', name)
  const byAuthority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
  const sign = (
    name: string,
    alternatives: string,
    { days = '2', by = byAuthority }: { readonly days?: string; readonly by?: readonly string[] } = {},
  ): { key: string; cert: string } => {
    makeKey(`${name}.key`)
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${alternatives}\n`)
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...by,
      '-days',
      days,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    )
    return {
      key: readFileSync(join(folder, `${name}.key`), 'utf8'),
      cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    }
  }
  try {
    makeKey('ca.key')
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      'ca.key',
      '-subj',
      '/CN=Authority of a test',
      '-days',
      '2',
      '-out',
      'ca.pem',
    )
    return {
      ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
      local: sign('local', here),
      other: sign('other', 'DNS:other.test'),
      expired: sign('expired', here, { days: '-1' }),
      selfSigned: sign('self', here, { by: ['-signkey', 'self.key'] }),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
