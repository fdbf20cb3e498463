import { serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'

const { apiKey, secretKey } = clients.permitted

/** The bytes of a field as text. */
function utf8Field(call: Call, name: string): string {
  return Buffer.from(field(call, name) ?? '', 'latin1').toString('utf8')
}

/** Stores and caches that accept a value other than the issued one. */
export const storeFaults: readonly Fault[] = [
  {
    name: 'api-key-compared-by-like',
    about: 'The key is looked up by LIKE, so that _ stands for any character and % for any end.',
    rules: ['fuzz/api-key'],
    bend: () => ({
      keyMatches: (sent, client) => {
        const pattern = sent.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
        const like = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`)
        return sent.length > 4 && like.test(client.apiKey)
      },
    }),
  },
  {
    name: 'api-key-separators-dropped',
    about: 'The separators of a key mean nothing.',
    rules: ['fuzz/api-key'],
    bend: () => ({
      keyMatches: (sent, client) => sent.replaceAll(/[-_]/g, '') === client.apiKey.replaceAll(/[-_]/g, ''),
    }),
  },
  {
    name: 'secret-key-in-full-width-accepted',
    about: 'Secrets are normalised by NFKC before they are compared.',
    rules: ['fuzz/secret-key'],
    bend: () =>
      serveWhen((call) => {
        const sent = utf8Field(call, 'x-secret-key')
        return (
          field(call, 'x-api-key') === apiKey && sent !== secretKey && sent.normalize('NFKC') === secretKey
        )
      }),
  },
  {
    name: 'key-and-secret-joined-in-a-cache',
    about: 'A success is remembered under key and secret, joined without anything between.',
    rules: ['authentication/not-cached'],
    bend: () => {
      const known = new Set<string>()
      return {
        around: async (call, serve) => {
          const key = `${field(call, 'x-api-key') ?? ''}${field(call, 'x-secret-key') ?? ''}`
          const isWhole = field(call, 'x-version') === '1' && call.path === '/api/customizations/list'
          if (isWhole && known.has(key)) return list(call.query)
          const answer = await serve(call)
          if (answer.refusal === null) known.add(key)
          return answer
        },
      }
    },
  },
]
