import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { inChunksOf, withNames } from '../../../lib/serve/reference/deliveries.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import {
  endedByClosing,
  withChunkExtensions,
  withLowerCaseNames,
  withOldVersion,
  withSpaceAround,
  withZerosBeforeLength,
} from '../deliveries/by-hand.ts'
import { unlessOld, withTrailers } from '../deliveries/chunked.ts'
import { coded, inTwoMembers, type Coding } from '../deliveries/coded.ts'
import { headFirst, inPieces } from '../deliveries/in-packets.ts'
import { afterContinue, afterHints, afterProcessing, continuedInPackets } from '../deliveries/interim.ts'
import { withoutDate, withReason } from '../deliveries/spelled.ts'
import { shipped } from './shipped.ts'
import { delivering } from './variant-of.ts'

/** Different ways to send the same answer in HTTP/1. */
export const framingVariants: readonly Variant[] = [
  shipped('body-in-chunks'),
  delivering('body-in-chunks-of-one-byte', 'Bodies are sent in chunks of one byte.', inChunksOf(1)),
  delivering(
    'body-in-chunks-with-extensions',
    'Chunks have extensions, and sizes in capitals with zeros before them.',
    unlessOld(withChunkExtensions),
  ),
  delivering(
    'body-in-chunks-with-trailers',
    'Fields follow the chunks.',
    unlessOld(withTrailers({ 'server-timing': 'db;dur=3', 'x-checksum': 'a1b2' })),
  ),
  delivering('body-ended-by-closing', 'The end of the body is where the connection closes.', endedByClosing),
  delivering(
    'http-1.0-ended-by-closing',
    'Answers come in HTTP/1.0 and end where the connection closes.',
    withOldVersion('closing'),
  ),
  delivering('http-1.0-with-length', 'Answers come in HTTP/1.0 with their length.', withOldVersion('length')),
  shipped('gzip-unasked'),
  delivering('gzip-in-chunks', 'Bodies are coded with gzip and sent in chunks.', coded(['gzip'], 'chunks')),
  delivering(
    'gzip-by-its-old-name',
    'Bodies are coded with x-gzip, which means gzip (RFC 9110, 8.4.1.3).',
    coded(['x-gzip']),
  ),
  delivering('gzip-in-two-members', 'Bodies are coded with gzip, in two members.', inTwoMembers),
  delivering('deflate-unasked', 'Bodies are coded with deflate.', coded(['deflate'])),
  delivering('brotli-unasked', 'Bodies are coded with br.', coded(['br'])),
  delivering('two-codings', 'Bodies are coded with gzip, and then with br.', coded(['gzip', 'br'])),
  delivering('head-before-body', 'The head is sent first, and the body some milliseconds later.', headFirst),
  delivering('body-in-pieces', 'The body is sent in three pieces, some milliseconds apart.', inPieces(3)),
  delivering('early-hints', '103 (Early Hints) comes before every answer.', afterHints(1)),
  delivering(
    'early-hints-three-times',
    '103 (Early Hints) comes three times before every answer.',
    afterHints(3),
  ),
  delivering('processing-before-answers', '102 (Processing) comes before every answer.', afterProcessing),
  shipped('field-names-in-upper-case'),
  delivering(
    'field-names-capitalised',
    'Every word in the name of a field begins with a capital letter.',
    withNames((name) => name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())),
  ),
  delivering('field-names-in-lower-case', 'All names of fields are in lower case.', withLowerCaseNames),
  delivering(
    'field-values-without-space',
    'No space stands before the value of a field.',
    withSpaceAround('', ''),
  ),
  delivering(
    'field-values-with-much-space',
    'Tabs and spaces stand around the value of a field.',
    withSpaceAround(' \t  ', ' \t '),
  ),
  delivering('length-with-zeros', 'The length of the body has zeros before it.', withZerosBeforeLength),
  delivering(
    'reason-empty',
    'The reason phrase is empty.',
    withReason(() => ''),
  ),
  delivering(
    'reason-misleading',
    'The reason phrase tells of another status.',
    withReason((status) => (status === 200 ? '500 Not OK' : 'OK')),
  ),
  delivering(
    'reason-beyond-ascii',
    'The reason phrase holds bytes beyond ASCII.',
    withReason(() => 'Schl\u00fcssel gepr\u00fcft'),
  ),
  delivering('date-missing', 'Answers have no date.', withoutDate),
  // Unrequested interim answers, which every client must be able to read (RFC 9110, 15.2).
  delivering('continue-before-answers', '100 (Continue) comes before every answer.', afterContinue(1)),
  delivering(
    'continue-twice-before-answers',
    '100 (Continue) comes twice before every answer.',
    afterContinue(2),
  ),
  delivering(
    'interim-answers-in-pieces',
    '100 and 103, with fields, come before every answer, in pieces that end anywhere.',
    continuedInPackets,
  ),
  // Services that use a coding which the request accepts, and say so.
  {
    name: 'coded-as-asked-for',
    about: 'Bodies are coded with the first coding that the request accepts.',
    manner: () => ({ deliver: asAskedFor }),
  },
  {
    name: 'weights-of-codings-heeded',
    about: 'Bodies are coded in gzip where the request accepts it with a weight above 0; HEAD has no length.',
    manner: () => ({ deliver: byWeight }),
  },
]

const known: readonly Coding[] = ['gzip', 'x-gzip', 'deflate', 'br']

const byWeight: Deliverer = (outgoing, response) => {
  const asked = (response.req.headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  if (asked.some((one) => /^gzip(?:;q=(?:1|0?\.[1-9]))?$/.test(one)))
    return coded(['gzip'])(outgoing, response)
  if (response.req.method !== 'HEAD') return whole(outgoing, response)
  response.writeHead(outgoing.status, [...outgoing.fields, 'transfer-encoding', 'chunked'])
  response.end()
}

const asAskedFor: Deliverer = (outgoing, response) => {
  const asked = (response.req.headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  const coding = asked.flatMap((name) => known.filter((one) => one === name))[0]
  const answer = { ...outgoing, fields: [...outgoing.fields, 'vary', 'accept-encoding'] }
  return coding === undefined ? whole(answer, response) : coded([coding])(answer, response)
}
