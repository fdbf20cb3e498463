import { answer } from './serving.ts'

/** An HTML page with this status line. */
export function page(statusLine: string, title: string): Buffer {
  return answer(
    statusLine,
    ['Content-Type: text/html; charset=utf-8'],
    `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  )
}
