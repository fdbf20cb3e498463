import { Client } from 'undici'
import type { ReferenceClient } from '../clients.ts'
import type { ReferenceService } from '../service.ts'

/** A request in a test; omitted parts are those of a valid request. */
export interface Question {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** With its query. */
  readonly target?: string
  /** Names and values in turn, sent unchanged; by default those of the permitted client. */
  readonly headers?: readonly string[]
}

/** Opens a connection whose requests go out one after the other. Each gives up after `patience` milliseconds; then `trouble` says why. */
export function connect(service: ReferenceService, patience = 5_000) {
  const client = new Client(service.baseUrl, { pipelining: 1 })
  const valid = headersOf(service.clients.permitted)
  return {
    async ask({ method = 'GET', target = '/api/customizations/list', headers = valid }: Question = {}) {
      try {
        const signal = AbortSignal.timeout(patience)
        const response = await client.request({ method, path: target, headers: [...headers], signal })
        const body = await response.body.text()
        return { status: response.statusCode, headers: response.headers, body, trouble: null }
      } catch (error) {
        const trouble = error instanceof Error ? error.name : 'unknown'
        return { status: 0, headers: {}, body: '', trouble }
      }
    },
    close: () => client.destroy(),
  }
}

/** What came back. */
type Reply = Awaited<ReturnType<ReturnType<typeof connect>['ask']>>

/** Asks once, on a separate connection. */
export async function askOnce(service: ReferenceService, question?: Question): Promise<Reply> {
  const connection = connect(service)
  const reply = await connection.ask(question)
  await connection.close()
  return reply
}

/** The three headers, in the usual order. */
export function headersOf({ apiKey, secretKey }: ReferenceClient, version = '1'): readonly string[] {
  return ['x-api-key', apiKey, 'x-secret-key', secretKey, 'x-version', version]
}

/** Status and code, as in `400/1001`; `200/-` if there is no code. */
export function outcome({ status, body, trouble }: Reply): string {
  return trouble ?? `${status}/${/"error_code":"(\d+)"/.exec(body)?.[1] ?? '-'}`
}
