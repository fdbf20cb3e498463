import { output, startDaemon } from './daemon.ts'
import type { Behind, Gateway } from './gateway.ts'
import { speaksTls } from './over-tls.ts'

/** Debian's HAProxy; `more` stands in the `frontend` section. */
export const haproxy: Gateway = {
  name: 'HAProxy',
  program: 'haproxy',
  hardened: `
    option http-buffer-request
    stick-table type ip size 10k expire 30s store http_req_rate(10s)
    http-request track-sc0 src
    http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1500 }
    http-response set-header strict-transport-security max-age=31536000
  `,
  start: async (behind) => {
    const { port, read, close } = await startDaemon({
      program: 'haproxy',
      args: (folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
      files: ({ folder, port: own }) => ({
        'certificate.pem': behind.certificates.local.cert + behind.certificates.local.key,
        'haproxy.cfg': configuration({ folder, port: own }, behind),
      }),
      listens: (own) => speaksTls(own, behind.certificates.ca),
    })
    return { baseUrl: `https://127.0.0.1:${port}`, log: () => read(output), close }
  },
}

/** Time limits and defaults as Debian's haproxy.cfg has them. */
function configuration(
  { folder, port }: { readonly folder: string; readonly port: number },
  { upstream, more = '' }: Behind,
): string {
  return `
global
    maxconn 500
    log stdout format raw local0

defaults
    mode http
    log global
    option httplog
    option dontlognull
    timeout connect 5000
    timeout client 50000
    timeout server 50000

frontend gateway
    bind 127.0.0.1:${port} ssl crt ${folder}/certificate.pem alpn h2,http/1.1
    compression algo gzip
    compression type application/json
    option forwardfor
    default_backend service
${more}

backend service
    server service ${upstream} check
`
}
