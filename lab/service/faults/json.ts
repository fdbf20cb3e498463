import { gzipSync } from 'node:zlib'
import { bodyOf, type Answer } from '../../../lib/serve/reference/answer.ts'
import { every, onAnswer, onAnyRefusal, onRefusal, onSuccess } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { labelled } from '../../../lib/serve/reference/deliveries.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { brotli, cutGzip, damagedGzip, halfDeflate } from '../deliveries/miscoded.ts'
import { breaking, breakingWith, shipped } from './breaking.ts'

const jsonResponse = breaking('conventions/json-response')
const contentType = breaking('conventions/json-content-type')

/** Bodies that are not JSON. */
const bodies: readonly Fault[] = [
  shipped('success-is-a-page'),
  jsonResponse('success-with-trailing-comma', 'The list has a comma before its last brace.', () =>
    onSuccess((answer) => ({ text: bodyOf(answer).replace(/\}$/, ',}') })),
  ),
  jsonResponse('success-as-a-script', 'The list is wrapped in a function call.', () =>
    onSuccess((answer) => ({ text: `callback(${bodyOf(answer)})` })),
  ),
  shipped('success-body-short'),
  jsonResponse(
    'success-now-and-then-sent-twice',
    'Every seventh list has the document in its body twice.',
    () => {
      const isTime = every(7)
      return onAnswer(
        ({ refusal }) => refusal === null && isTime(),
        (answer) => ({ text: bodyOf(answer).repeat(2) }),
      )
    },
  ),
  shipped('errors-in-plain-text'),
  shipped('invalid-secret-key-body-empty'),
  jsonResponse('missing-version-in-xml', 'A missing version is answered in XML.', () =>
    onRefusal('1003', { text: '<error><code>1003</code></error>', contentType: 'application/xml' }),
  ),
]

/** Bodies that are JSON, but labelled as something else. */
const labels: readonly Fault[] = [
  shipped('success-labelled-html'),
  contentType(
    'success-labelled-json-lines',
    'The list is labelled application/jsonl, which only begins like JSON.',
    () => onSuccess({ contentType: 'application/jsonl' }),
  ),
  shipped('errors-labelled-text'),
  contentType('unknown-endpoint-unlabelled', 'The error for an unknown endpoint has no content type.', () =>
    onRefusal('1010', { contentType: null }),
  ),
  contentType(
    'no-customer-labelled-text-json',
    'The error for credentials without a customer is labelled text/json.',
    () => onRefusal('1012', { contentType: 'text/json' }),
  ),
]

const marked = breakingWith({ implied: true }, 'conventions/json-response')

const byteOrderMark = '\uFEFF'

/** Answers that some parsers accept and others do not. */
const labelAndMarkFaults: readonly Fault[] = [
  marked('success-behind-a-byte-order-mark', 'A byte order mark stands before the list.', () =>
    onSuccess((answer) => ({ text: `${byteOrderMark}${bodyOf(answer)}` })),
  ),
  marked(
    'inactive-endpoint-behind-a-byte-order-mark',
    'A byte order mark stands before the error for an inactive endpoint.',
    () => onRefusal('1011', (answer) => ({ text: `${byteOrderMark}${bodyOf(answer)}` })),
  ),
  breakingWith({ implied: true }, 'errors/body-shape')(
    'invalid-api-key-with-two-codes',
    'The error for an invalid API key begins with an error_code of another error; its own follows.',
    () => onRefusal('1006', (answer) => ({ text: bodyOf(answer).replace('{', '{"error_code":"1001",') })),
  ),
  contentType('success-labelled-json-and-html', 'The list has two labels: JSON and HTML.', () =>
    onSuccess({ headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
  ),
  contentType(
    'errors-labelled-json-in-two-charsets',
    'Errors have two labels, which name different charsets.',
    () => onAnyRefusal({ headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } }),
  ),
  contentType(
    'success-now-and-then-labelled-with-a-list',
    'Every sixth list has one label that names two types.',
    () => {
      const isTime = every(6)
      return onAnswer(({ refusal }) => refusal === null && isTime(), {
        contentType: 'application/json, text/html',
      })
    },
  ),
]

const codedOnRequest = breaking('conventions/json-response', 'fuzz/headers')

/** Bodies whose content coding differs from their label. */
const contentCodingFaults: readonly Fault[] = [
  jsonResponse('success-labelled-gzip-and-plain', 'The list is labelled gzip and is not compressed.', () =>
    onSuccess({ delivery: labelled('gzip', (body) => body) }),
  ),
  jsonResponse(
    'errors-in-gzip-cut-short',
    'Errors come in gzip without its last twelve bytes, and their length says so.',
    () => onAnyRefusal({ delivery: labelled('gzip', cutGzip) }),
  ),
  jsonResponse(
    'success-now-and-then-in-damaged-gzip',
    'Every fifth list comes in gzip with a checksum that does not fit.',
    () => {
      const isTime = every(5)
      return onAnswer(({ refusal }) => refusal === null && isTime(), {
        delivery: labelled('gzip', damagedGzip),
      })
    },
  ),
  breaking('conventions/json-response', 'authentication/secret-key-invalid')(
    'invalid-secret-key-labelled-gzip-and-in-brotli',
    'The error for an invalid secret is labelled gzip and is in brotli.',
    () => onRefusal('1007', { delivery: labelled('gzip', brotli) }),
  ),
  breaking('conventions/json-response', 'versioning/version-missing')(
    'missing-version-in-half-of-deflate',
    'The error for a missing version is the first half of what deflate makes of it.',
    () => onRefusal('1003', { delivery: labelled('deflate', halfDeflate) }),
  ),
  breaking('conventions/json-response', 'versioning/unknown-endpoint')(
    'unknown-endpoint-in-two-codings-of-one',
    'The error for an unknown endpoint is labelled as gzip within brotli and is in brotli only.',
    () => onRefusal('1010', { delivery: labelled('gzip, br', brotli) }),
  ),
  codedOnRequest(
    'success-empty-where-gzip-is-asked-for',
    'The list is labelled gzip and has no bytes where the request accepts gzip.',
    () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', () => Buffer.alloc(0)) }),
  ),
  codedOnRequest(
    'success-cut-where-gzip-is-asked-for',
    'The list comes in gzip and is cut short where the request accepts gzip.',
    () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', cutGzip) }),
  ),
  codedOnRequest(
    'success-in-gzip-of-gzip-where-asked-for',
    'The list comes in gzip twice, labelled once, where the request accepts gzip.',
    () => onAnswer(isSuccessInGzip, { delivery: labelled('gzip', (body) => gzipSync(gzipSync(body))) }),
  ),
]

function isSuccessInGzip({ refusal }: Answer, { headers }: Call): boolean {
  return refusal === null && /\bgzip\b/.test(headers['accept-encoding'] ?? '')
}

/** Bodies that are not JSON, or not labelled as JSON. */
export const jsonFaults: readonly Fault[] = [
  ...bodies,
  ...labels,
  ...labelAndMarkFaults,
  ...contentCodingFaults,
]
