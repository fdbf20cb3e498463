import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpExchange, HttpExchangeNameValue } from 'allure-js-commons'
import type { ShownExchange } from '../../judge/record.ts'
import { jsonText } from '../../text/json-text.ts'
import { beginning, printable, printableLines, errorText } from '../../text/printable.ts'
import { visible } from '../../text/visible.ts'
import { ReportsFolderError } from '../folder/reports-folder.ts'
import type { View } from '../view.ts'
import { allureCategories, allureEnvironment, allureResults, type Attach } from './results.ts'

/**
 * Writes the Allure results for a verdict in its stored form; by default, all of them. Throws {@link ReportsFolderError}.
 */
export function writeAllureResults(
  shown: View,
  reportsDir: string,
  results?: Iterable<ReturnType<typeof allureResults>[number]>,
): void {
  const folder = join(reportsDir, 'allure-results')
  try {
    mkdirSync(folder, { recursive: true })
    write(folder, 'environment.properties', properties(allureEnvironment(shown)))
    write(folder, 'categories.json', jsonText(allureCategories(shown)))
    for (const result of results ?? allureResults(shown, attachTo(folder))) {
      const uuid = randomUUID()
      write(folder, `${uuid}-result.json`, jsonText({ uuid, ...result }))
    }
  } catch (error) {
    throw new ReportsFolderError(
      `Allure's results cannot be written to ${folder}: ${errorText(error)}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      { cause: error },
    )
  }
}

/** The text of a Java properties file. */
export function properties(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(
      ([name, value = '']) =>
        `${escaped(name).replaceAll(/[ :=#!]/g, '\\$&')}=${escaped(value).replace(/^ /, '\\ ')}\n`,
    )
    .join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Writes a file completely or not at all. Allure's own writer also flushes each file to disk, which takes most of its time. */
function write(folder: string, name: string, text: string): void {
  const temporary = join(folder, `.${randomUUID()}.tmp`)
  writeFileSync(temporary, text)
  renameSync(temporary, join(folder, name))
}

/** Writes an attachment to the results folder. */
export function attachTo(folder: string): Attach {
  return (exchange) => {
    const source = `${randomUUID()}-attachment.httpexchange`
    write(folder, source, attachmentText(exchange))
    return source
  }
}

/** The text of an attached exchange. */
export function attachmentText(exchange: ShownExchange): string {
  return jsonText(allureExchange(exchange))
}

/**
 * An exchange in the form that Allure displays. Bodies are labelled only as JSON or text, so that no report renders markup from a
 * service. Invisible and control characters are escaped.
 */
function allureExchange({ request, response }: ShownExchange): HttpExchange {
  const sent = {
    method: printable(request.method),
    url: printable(visible(request.url)),
    headers: namesAndValues(request.headers),
    ...(request.body === undefined
      ? {}
      : { body: bodyOf(request.body, request.bodyCut ?? 0, 'application/json') }),
  }
  if (response === null) {
    return { schemaVersion: 1, request: sent, error: { name: 'no answer', message: 'no answer came' } }
  }
  const { status, reason, headers, trailers, body, bodyCut } = response
  return {
    schemaVersion: 1,
    request: sent,
    response: {
      status,
      ...(reason === undefined ? {} : { statusText: printable(reason) }),
      headers: namesAndValues(headers),
      ...(trailers === undefined ? {} : { trailers: namesAndValues(trailers) }),
      body: bodyOf(
        body.replaceAll('\r\n', '\n'),
        bodyCut,
        isJson(headers) ? 'application/json' : 'text/plain',
      ),
    },
  }
}

/** Line breaks are kept, so that multi-line JSON remains JSON. */
function bodyOf(body: string, bodyCut: number, contentType: string) {
  const value = beginning(printableLines(body), Infinity, bodyCut)
  return { contentType, encoding: 'utf8' as const, value, truncated: bodyCut > 0 }
}

function namesAndValues(fields: ShownExchange['request']['headers']): HttpExchangeNameValue[] {
  return fields.map(([name, value]) => ({ name: printable(visible(name)), value: printable(visible(value)) }))
}

function isJson(fields: ShownExchange['request']['headers']): boolean {
  return fields.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /^[^;]*[/+]json\b/i.test(value),
  )
}
