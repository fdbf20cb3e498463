import { startDaemon } from './daemon.ts'
import type { Behind, Gateway } from './gateway.ts'
import { speaksTls } from './over-tls.ts'

/** Debian's Caddy; `more` stands in the site's block. */
export const caddy: Gateway = {
  name: 'Caddy',
  program: 'caddy',
  hardened: `
    request_body {
      max_size 1MB
    }
    header {
      -server
      strict-transport-security max-age=31536000
    }
  `,
  start: async (behind) => {
    const { port, read, close } = await startDaemon({
      program: 'caddy',
      args: (folder) => ['run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'],
      files: ({ folder, port: own }) => ({
        'key.pem': behind.certificates.local.key,
        'certificate.pem': behind.certificates.local.cert,
        Caddyfile: configuration({ folder, port: own }, behind),
      }),
      listens: (own) => speaksTls(own, behind.certificates.ca),
    })
    return {
      baseUrl: `https://127.0.0.1:${port}`,
      log: async () => (await read('access.log')) + (await read('caddy.log')),
      close,
    }
  },
}

function configuration(
  { folder, port }: { readonly folder: string; readonly port: number },
  { upstream, more = '' }: Behind,
): string {
  return `
{
  admin off
  auto_https off
  storage file_system ${folder}/storage
  log {
    output file ${folder}/caddy.log
  }
  servers {
    protocols h1 h2
  }
}

https://127.0.0.1:${port}, https://localhost:${port} {
  bind 127.0.0.1
  tls ${folder}/certificate.pem ${folder}/key.pem
  log {
    output file ${folder}/access.log
  }
  encode {
    gzip
    minimum_length 1
  }
  ${more}
  reverse_proxy ${upstream}
}
`
}
