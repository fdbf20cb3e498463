import type { Arbitrary } from 'fast-check'
import type { RequiredField } from '../specification/endpoints.ts'
import { unknownSegments } from './arbitraries.ts'
import {
  caseClass,
  judged,
  listed,
  type Base,
  type CaseClass,
  type GeneratorInput,
  type MutatedRequest,
} from './case-class.ts'
import { inTurn, setting, to, unchanged, withPath, withQuery, without } from './request-changes.ts'

/** One way to have a flaw. */
interface Flaw {
  /** What of a request is flawed: two flaws of one subject do not stand together. */
  readonly subject: RequiredField | 'endpoint' | 'input' | 'client'
  readonly says: string
  /** Takes a random segment, which only an unknown path needs. */
  readonly apply: (segment: string) => MutatedRequest['apply']
  readonly base?: Base
  readonly mayRedirect?: true
}

/** Every pair of flaws once. */
export function flawPairClass(input: GeneratorInput): CaseClass {
  const flaws = [...ofFields(input), ...ofPlaces(input), ...ofBases(input)]
  const pairs = flaws.flatMap((one, at) =>
    flaws
      .slice(at + 1)
      .filter((other) => standTogether(one, other))
      .map((other) => both(one, other)),
  )
  return caseClass('flaw-pairs', listed, pairs)
}

function ofFields(input: GeneratorInput): readonly Flaw[] {
  const { second, wrongKey, wrongSecret, servedVersion, unsupportedVersion } = input
  const withValue = (subject: RequiredField, value: Parameters<typeof setting>[1], says: string): Flaw => {
    return { subject, says: `${subject}: ${says}`, apply: () => setting(subject, value) }
  }
  const missing = (subject: RequiredField): readonly Flaw[] => [
    { subject, says: `no ${subject}`, apply: () => without(subject) },
    withValue(subject, '', 'empty'),
  ]
  const versions = ['abc', `0${servedVersion}`, unsupportedVersion, '-1', servedVersion === '2' ? '3' : '2']
  return [
    ...missing('x-api-key'),
    withValue('x-api-key', wrongKey, 'invented'),
    ...missing('x-secret-key'),
    withValue('x-secret-key', wrongSecret, 'invented'),
    ...(second === null ? [] : [withValue('x-secret-key', second.secretKey, second.secretKey.name)]),
    ...missing('x-version'),
    ...versions.map((version) => withValue('x-version', version, version)),
  ]
}

function ofPlaces({ path }: GeneratorInput): readonly Flaw[] {
  return [
    {
      subject: 'endpoint',
      says: 'to the unknown path /api/zz…',
      apply: (segment) => to(`/api/${segment}`),
    },
    {
      subject: 'endpoint',
      says: 'the path with a slash at its end',
      apply: () => withPath(`${path}/`),
      mayRedirect: true,
    },
    { subject: 'input', says: 'an undocumented parameter', apply: () => withQuery('undocumented=1') },
  ]
}

function ofBases({ furtherBases }: GeneratorInput): readonly Flaw[] {
  return furtherBases
    .filter((base) => base !== 'endpoint-unknown')
    .map((base) => ({
      subject: base === 'input-invalid' ? 'input' : 'client',
      says: '',
      apply: () => unchanged,
      base,
    }))
}

/** A request starts from one base; a client in some state keeps its key; an unknown path has no input. */
function standTogether(one: Flaw, other: Flaw): boolean {
  if (one.subject === other.subject || (one.base !== undefined && other.base !== undefined)) return false
  if (one.subject === 'x-api-key') return other.subject !== 'client' && !isOfAnother(other)
  return one.subject !== 'endpoint' || other.base !== 'input-invalid'
}

/** Whether it is the second client's secret, which only a valid key makes another client's. */
function isOfAnother({ subject, says }: Flaw): boolean {
  return subject === 'x-secret-key' && says.includes('FIXTURE_SECOND')
}

function both(one: Flaw, other: Flaw): Arbitrary<MutatedRequest> {
  const base = one.base ?? other.base
  const mayRedirect = one.mayRedirect ?? other.mayRedirect
  return unknownSegments.map((segment) =>
    judged(
      [one.says, other.says].filter((text) => text !== '').join('; '),
      inTurn(one.apply(segment), other.apply(segment)),
      { ...(base === undefined ? {} : { base }), ...(mayRedirect === undefined ? {} : { mayRedirect }) },
    ),
  )
}
