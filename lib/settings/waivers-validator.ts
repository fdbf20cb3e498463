import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { ownSchema, stringLike } from './setting-table.ts'
import type { Waiver } from './waivers.ts'

/** A waiver as written in a file. */
type WaiverEntry = Pick<Waiver, 'reason' | 'owner' | 'expires'> & Partial<Waiver>

const fingerprint = stringLike('^[!-~]+$', 'the fingerprint of a finding in verdict.json')

const fileSchema = {
  type: 'array',
  description:
    'a JSON list of waivers: [{ "rule": …, "fingerprint": …, "reason": …, "owner": …, "expires": … }]',
  items: {
    type: 'object',
    description: 'a rule, fingerprints or both, with a reason, an owner and expires',
    required: ['reason', 'owner', 'expires'],
    anyOf: [{ required: ['rule'] }, { required: ['fingerprint'] }, { required: ['fingerprints'] }],
    allOf: [
      {
        not: { type: 'object', required: ['fingerprint', 'fingerprints'] },
        description: 'fingerprint or fingerprints, not both',
      },
    ],
    additionalProperties: false,
    properties: {
      rule: { type: 'string', description: 'the id of a rule' },
      fingerprint,
      fingerprints: {
        type: 'array',
        description:
          'the fingerprints of a cause, at least one and without repetitions, as drafted in a report',
        minItems: 1,
        uniqueItems: true,
        items: fingerprint,
      },
      reason: stringLike('\\S', 'why this is accepted, in words'),
      owner: stringLike('\\S', 'who is responsible, in words'),
      expires: {
        type: 'string',
        format: 'date',
        description: 'the last day of the waiver, a valid date such as 2027-01-31',
      },
    },
  },
}

const ajv = formats.default(new Ajv(ownSchema), ['date'])

/** Whether a value is a list of waivers. The build compiles it. */
export const fitsWaivers = ajv.compile<readonly WaiverEntry[]>(fileSchema)
