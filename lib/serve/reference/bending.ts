import { refuse, type Answer, type Code } from './answer.ts'
import type { Bend } from './bend.ts'
import { field, type Call, type RequiredName } from './call.ts'
import { list, listPath } from './list.ts'

/** Changes to an answer: constant, or computed from the answer and its request. */
export type Change = Partial<Answer> | ((answer: Answer, call: Call) => Partial<Answer>)

/** Changes errors with any of these codes. */
export function onRefusal(codes: Code | readonly Code[], change: Change): Bend {
  return onAnswer(({ refusal }) => refusal !== null && [codes].flat().includes(refusal), change)
}

/** Changes every error. */
export function onAnyRefusal(change: Change): Bend {
  return onAnswer(({ refusal }) => refusal !== null, change)
}

/** Changes every success. */
export function onSuccess(change: Change): Bend {
  return onAnswer(({ refusal }) => refusal === null, change)
}

/** Changes every answer for which `when` holds. */
export function onAnswer(when: (answer: Answer, call: Call) => boolean, change: Change): Bend {
  return {
    answer: (answer, call) =>
      when(answer, call)
        ? { ...answer, ...(typeof change === 'function' ? change(answer, call) : change) }
        : answer,
  }
}

/** Changes every `n`-th success. */
export function everyNth(n: number, change: Change): Bend {
  const isTime = every(n)
  return onAnswer(({ refusal }) => refusal === null && isTime(), change)
}

/** Changes every customization of a list. */
export function onItems(changed: (item: Answer['payload']) => Answer['payload']): Change {
  return ({ payload }) => ({ payload: { ...payload, customizations: itemsOf(payload).map(changed) } })
}

/** The customizations of a list. */
export function itemsOf({ customizations }: Answer['payload']): readonly Answer['payload'][] {
  return Array.isArray(customizations) ? customizations : []
}

/** Serves the list for any credentials if `when` holds. */
export function serveWhen(when: (call: Call) => boolean): Bend {
  return { instead: (call) => (when(call) ? list() : null) }
}

/** Changes that turn an answer into a documented error, with the same client and refusal. */
export function becomes(code: Code): Partial<Answer> {
  const { status, payload } = refuse(code)
  return { status, payload }
}

/** Changes that turn an answer into an undocumented error. */
export function failure(status: number, message = 'internal server error'): Partial<Answer> {
  return { status, payload: { error: message } }
}

/** Changes that turn an answer into a web page. */
export function page(status: number, title: string): Partial<Answer> {
  return {
    status,
    text: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
    contentType: 'text/html; charset=utf-8',
  }
}

/** Whether a header is missing. */
export function isAbsent(call: Call, name: RequiredName): boolean {
  return field(call, name) === undefined
}

/** Whether the path of the request is exactly that of the list. */
export function isForList(call: Call): boolean {
  return call.path === listPath
}

/** Returns true on every `n`-th call. */
export function every(n: number): () => boolean {
  let count = 0
  return () => {
    count += 1
    return count % n === 0
  }
}
