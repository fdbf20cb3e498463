import { startDaemon } from './daemon.ts'
import type { Behind, Gateway } from './gateway.ts'
import { speaksTls } from './over-tls.ts'

/** Debian's nginx; `more` stands in the `http` block. */
export const nginx: Gateway = {
  name: 'nginx',
  program: 'nginx',
  hardened: `
    merge_slashes on;
    underscores_in_headers off;
    ignore_invalid_headers on;
    server_tokens off;
    limit_req_zone $binary_remote_addr zone=everybody:1m rate=150r/s;
    limit_req zone=everybody burst=40 nodelay;
    limit_req_status 429;
  `,
  start: async (behind) => {
    const { port, read, close } = await startDaemon({
      program: 'nginx',
      args: (folder) => ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
      files: ({ port: own }) => ({
        'key.pem': behind.certificates.local.key,
        'certificate.pem': behind.certificates.local.cert,
        'nginx.conf': configuration(own, behind),
      }),
      listens: (own) => speaksTls(own, behind.certificates.ca),
    })
    return {
      baseUrl: `https://127.0.0.1:${port}`,
      log: async () => (await read('access.log')) + (await read('error.log')),
      close,
    }
  },
}

function configuration(port: number, { upstream, more = '' }: Behind): string {
  return `
    daemon off;
    pid nginx.pid;
    worker_processes 2;
    events { worker_connections 512; }
    http {
      access_log access.log;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${what};`).join('\n')}
      gzip on;
      gzip_types application/json;
      gzip_min_length 1;
      gzip_proxied any;
      ${more}
      upstream service {
        server ${upstream};
        keepalive 16;
      }
      server {
        listen 127.0.0.1:${port} ssl http2;
        ssl_certificate certificate.pem;
        ssl_certificate_key key.pem;
        location / {
          proxy_pass http://service;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $host;
          proxy_set_header X-Real-IP $remote_addr;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto $scheme;
        }
      }
    }
  `
}
