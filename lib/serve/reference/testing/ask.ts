import { Client } from 'undici'
import type { ReferenceClient } from '../clients.ts'
import type { ReferenceService } from '../service.ts'

/** A request of a test; what is left out is that of a valid one. */
export interface Question {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** With its query. */
  readonly target?: string
  /** Names and values in turn, sent as they stand; default those of the permitted client. */
  readonly headers?: readonly string[]
}

/** What came back; `trouble` is why nothing did. */
export interface Reply {
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly trouble: string | null
}

/** One connection of a test to a service. */
export interface Connection {
  ask(question?: Question): Promise<Reply>
  close(): Promise<void>
}

/** Opens a connection whose requests go out one after the other, each given up after `patience` milliseconds. */
export function connect(service: ReferenceService, patience = 5_000): Connection {
  const client = new Client(service.baseUrl, { pipelining: 1 })
  const valid = headersOf(service.clients.permitted)
  return {
    async ask({ method = 'GET', target = '/api/customizations/list', headers = valid } = {}) {
      try {
        const signal = AbortSignal.timeout(patience)
        const response = await client.request({ method, path: target, headers: [...headers], signal })
        const body = await response.body.text()
        const { statusCode: status, statusText: reason, headers: fields } = response
        return { status, reason, headers: fields, body, trouble: null }
      } catch (error) {
        const trouble = error instanceof Error ? error.name : 'unknown'
        return { status: 0, reason: '', headers: {}, body: '', trouble }
      }
    },
    close: () => client.destroy(),
  }
}

/** Asks once, on a connection of its own. */
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

/** Status and code, as in `400/1001`; `200/-` where there is no code. */
export function outcome({ status, body, trouble }: Reply): string {
  return trouble ?? `${String(status)}/${codeOf(body)}`
}

function codeOf(body: string): string {
  return /"error_code":"(\d+)"/.exec(body)?.[1] ?? '-'
}
