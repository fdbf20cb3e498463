import { answer } from './serving.ts'

/** A page for people, under this status line. */
export function page(statusLine: string, title: string): Buffer {
  return answer(
    statusLine,
    ['Content-Type: text/html; charset=utf-8'],
    `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  )
}
