import { succeed, type Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { Gateway } from './manner.ts'

/** Outcome of a request at a gateway. */
type Passed =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'passed on'; readonly call: Call }

/** Passes a request through a gateway. */
export function pass(call: Call, { prefix = '', answers, passes }: Gateway): Passed {
  if (prefix !== '' && !call.path.startsWith(`${prefix}/`)) {
    return { kind: 'answered', answer: page(404, 'no service here') }
  }
  const inner = prefix === '' ? call : { ...call, path: call.path.slice(prefix.length) }
  const answer = answers?.(inner) ?? null
  if (answer !== null) return { kind: 'answered', answer }
  return { kind: 'passed on', call: passes?.(inner) ?? inner }
}

/** An answer without a body, as from a gateway that does not know the service. */
export function bare(status: number, headers: Answer['headers'] = {}): Answer {
  return { ...succeed({}), status, text: '', contentType: null, headers }
}

/** The same answer with a web page. */
export function page(status: number, title: string, headers: Answer['headers'] = {}): Answer {
  const text = `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
  return { ...bare(status, headers), text, contentType: 'text/html; charset=utf-8' }
}
