import { startDaemon } from './daemon.ts'
import type { Behind, Gateway, RunningGateway } from './gateway.ts'
import { speaksTls } from './over-tls.ts'

/** Debian's Apache; `more` stands at the end of its configuration. */
export const apache: Gateway = {
  name: 'Apache',
  program: 'apache2',
  start: (behind) => startApache(behind),
  hardened: `
    ServerTokens Prod
    ServerSignature Off
    TraceEnable Off
    LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
    Header always set Strict-Transport-Security max-age=31536000
    <Location "/">
      <LimitExcept GET HEAD OPTIONS>
        Require all denied
      </LimitExcept>
    </Location>
  `,
}

/** Apache with these further lines at the end of its configuration, which may name its folder. */
export async function startApache(
  behind: Behind,
  further: (folder: string) => string = () => '',
): Promise<RunningGateway> {
  const { port, read, close } = await startDaemon({
    program: 'apache2',
    args: (folder) => ['-f', `${folder}/apache2.conf`, '-DFOREGROUND'],
    files: ({ folder, port: own }) => ({
      'key.pem': behind.certificates.local.key,
      'certificate.pem': behind.certificates.local.cert,
      'apache2.conf': configuration({ folder, port: own }, behind) + further(folder),
    }),
    listens: (own) => speaksTls(own, behind.certificates.ca),
  })
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    log: async () => (await read('access.log')) + (await read('error.log')),
    close,
  }
}

const modules = [
  'mpm_event',
  'authz_core',
  'ssl',
  'http2',
  'filter',
  'deflate',
  'proxy',
  'proxy_http',
  'reqtimeout',
]

/** Where Apache is started as root it insists on workers of another user. */
const workers = process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''

function configuration(
  { folder, port }: { readonly folder: string; readonly port: number },
  { upstream, more = '' }: Behind,
): string {
  return `
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${workers}
ServerRoot ${folder}
ServerName localhost
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache2.pid
Mutex file:${folder}
ErrorLog ${folder}/error.log
LogFormat "%h \\"%r\\" %>s %b" short
CustomLog ${folder}/access.log short

Listen 127.0.0.1:${port}
Protocols h2 http/1.1
SSLEngine on
SSLCertificateFile ${folder}/certificate.pem
SSLCertificateKeyFile ${folder}/key.pem
SSLSessionCache none

AddOutputFilterByType DEFLATE application/json
ProxyPass / http://${upstream}/ retry=1
${more}
`
}
