import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Files and folders of certificate authorities that Node itself trusts in this environment: that of `NODE_EXTRA_CA_CERTS`, and those of
 * `SSL_CERT_FILE` and `SSL_CERT_DIR` where Node asks OpenSSL or the system.
 */
export function trustedFiles(env: Variables): readonly string[] {
  const { NODE_EXTRA_CA_CERTS = '', SSL_CERT_FILE = '', SSL_CERT_DIR = '' } = env
  const ofOpenSsl = asksOpenSsl(env) ? [SSL_CERT_FILE, ...SSL_CERT_DIR.split(delimiter)] : []
  return [NODE_EXTRA_CA_CERTS, ...ofOpenSsl].filter((file) => existsSync(file))
}

/** Node asks OpenSSL where a flag says so, as does `--use-system-ca` on Linux, or where it was built to, as by Debian. */
function asksOpenSsl({ NODE_OPTIONS = '', NODE_USE_SYSTEM_CA }: Variables): boolean {
  return (
    /--use[-_](?:openssl|system)[-_]ca\b/.test([...process.execArgv, NODE_OPTIONS].join(' ')) ||
    (NODE_USE_SYSTEM_CA === '1' && process.allowedNodeEnvironmentFlags.has('--use-system-ca')) ||
    process.config.target_defaults.defines.includes('NODE_OPENSSL_CERT_STORE')
  )
}
