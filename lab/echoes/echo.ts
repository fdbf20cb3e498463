import type { IncomingMessage, ServerResponse } from 'node:http'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import type { Answer } from '../../lib/serve/reference/answer.ts'
import { callOf, field, type Call } from '../../lib/serve/reference/call.ts'
import { examine } from '../../lib/serve/reference/checks.ts'
import { clients, everyClient } from '../../lib/serve/reference/clients.ts'
import { quotaStore } from '../../lib/serve/reference/quota.ts'
import { usualReading } from '../../lib/serve/reference/reading.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'
import type { Service } from '../judge/service.ts'
import { canaries } from './canaries.ts'

/** The credentials of a request as received. Empty if absent. */
export interface Heard {
  readonly apiKey: string
  readonly secretKey: string
  /** Both, separated by a space. */
  readonly both: string
}

/** For a spelling that the suite detects. */
export const noticed: readonly SpecRuleId[] = ['security/no-secret-echo']

/** A place in an answer for the credentials of its request. */
export interface Place {
  /** The exit code of a gate. Default 0. */
  readonly exit?: 0 | 1 | 3
  /** One of these rules is red in the verdict; empty if the suite does not detect the spelling. Default: the rule on echoes. */
  readonly rules?: readonly SpecRuleId[]
  /** The answers that repeat the credentials, by the code of the refusal. Default: all. */
  readonly on?: (refusal: Answer['refusal']) => boolean
  /** The differences of an answer, or null if this writes it. */
  readonly written: (heard: Heard, answer: Answer, response: ServerResponse) => Written | null
}

/** Services that check requests like the reference service, with other clients, and repeat their credentials. */
export function placed(places: Readonly<Record<string, Place>>): readonly Service[] {
  return Object.entries(places).map(([name, { exit = 0, rules = noticed, on = () => true, written }]) => ({
    of: 'echoes',
    name,
    expects: { exit, by: rules, inPart: true },
    profiles: ['gate'],
    over: 'program',
    start: async () => {
      const how = { bend: {}, reading: usualReading, quota: quotaStore({}, Date.now) }
      const service = await startReference({
        intervene: (request, response) => {
          const answer = examine(withReferenceClient(callOf(request, 0)), how)
          const differences = on(answer.refusal) ? written(heardIn(request), answer, response) : {}
          if (differences !== null) write(answer, response, differences)
          return true
        },
      })
      return { env: settingsOf({ ...service, clients: canaries }), close: () => service.close() }
    },
  }))
}

function heardIn({ headers }: IncomingMessage): Heard {
  const [apiKey, secretKey] = [String(headers['x-api-key'] ?? ''), String(headers['x-secret-key'] ?? '')]
  return { apiKey, secretKey, both: `${apiKey} ${secretKey}`.trim() }
}

/** Replaces the canaries by the reference clients' credentials, so that the reference's checks recognise them. */
function withReferenceClient(call: Call): Call {
  const headers = { ...call.headers }
  for (const [header, name] of [
    ['x-api-key', 'apiKey'],
    ['x-secret-key', 'secretKey'],
  ] as const) {
    const sent = field(call, header)
    const owner = everyClient.find((client) => canaries[client.name][name] === sent)
    if (owner !== undefined) headers[header] = clients[owner.name][name]
    else if (sent !== undefined && sent !== '') headers[header] = `?${sent}`
  }
  return { ...call, headers }
}

/** How an answer differs from the reference service's. */
interface Written {
  readonly status?: number
  /** Properties added to the answer. */
  readonly added?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<Record<string, string | readonly string[]>>
  readonly reason?: string
  /** The body that replaces the JSON. */
  readonly body?: string | Buffer
}

/** Writes an answer as JSON, with these additions. */
function write(answer: Answer, response: ServerResponse, written: Written): void {
  const { status, added, fields, reason, body } = written
  response.statusCode = status ?? answer.status
  if (reason !== undefined) response.statusMessage = fieldSafe(reason)
  response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(fields ?? {}))
    response.setHeader(name, typeof value === 'string' ? fieldSafe(value) : value.map(fieldSafe))
  response.end(body ?? JSON.stringify({ ...answer.payload, ...added }))
}

/** The answer's payload with another message. A success gets a property of that name next to the list. */
export function saying(answer: Answer, text: string): Readonly<Record<string, unknown>> {
  return answer.refusal === null
    ? { note: text }
    : { error_message: `${String(answer.payload['error_message'])}: ${text}` }
}

/** A text reduced to the characters that a field or a reason phrase can contain. */
const fieldSafe = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
