import { beforeAll, describe, expect, it } from 'vitest'
import type { MutatedRequest } from '../../generate/case-class.ts'
import { setting, to, unchanged, without, type RequestChange } from '../../generate/request-changes.ts'
import type { Response } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import type { Judgement } from '../../judge/judge.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import { checkOf } from './fuzz-check.ts'
import { suiteContext, type SuiteContext } from './suite-context.ts'

let context: SuiteContext
beforeAll(async () => {
  context = suiteContext(settingsOf(await read(target)), 'card-switch-conformance/test')
})

const key = target.TARGET_API_KEY

interface Sent {
  readonly apply: RequestChange
  readonly more?: Partial<MutatedRequest>
  readonly before?: Response
}

/** The judgement of an answer to a plain request with this change. */
function judged(response: Response, { apply, more = {}, before }: Sent): Judgement['kind'] {
  return judgementOf(response, { apply, more, ...(before === undefined ? {} : { before }) }).kind
}

function judgementOf(response: Response, { apply, more = {}, before }: Sent): Judgement {
  const request: Request = apply(context.list.request.request)
  const mutated: MutatedRequest = { says: '', apply, treatment: 'oracle', transportMayRefuse: false, ...more }
  const made = { mutated, request, before: before === undefined ? null : exchange(before) }
  return checkOf(made, context).judge(exchange(response, request))
}

describe('a byte behind a valid key', () => {
  it('only warns in every profile where servers strip it, and is a breach like any other where none does', () => {
    const told = ([{ mayBeStripped: true }, {}] as const).map((more) => {
      const judgement = judgementOf(served, { apply: setting('x-api-key', `${key}\xa0`), more })
      return judgement.kind === 'violates' ? judgement.breach.warning : judgement.kind
    })

    expect(told).toEqual([true, undefined])
  })
})

describe('how an answer is judged', () => {
  const wrongKey = setting('x-api-key', 'zz')
  const moved = answer(301, '', { fields: [['location', '/api/customizations/list']] })

  it.each([
    ['observed', served, 'holds'],
    ['observed', answer(500, ''), 'holds'],
    ['refused', served, 'violates'],
    ['refused', answer(404, ''), 'holds'],
    ['oracle', refused(401, '1006'), 'holds'],
    ['oracle', answer(404, ''), 'violates'],
  ] as const)('%s: %j', (treatment, response, kind) => {
    expect(judged(response, { apply: wrongKey, more: { treatment } })).toBe(kind)
  })

  it('a redirect to the known path is fine for a near miss of it alone', () => {
    const apply = to('/api/customizations/list/')

    expect(judged(moved, { apply, more: { mayRedirect: true } })).toBe('holds')
    expect(judged(moved, { apply })).toBe('violates')
  })

  it('names each documented answer once, and nothing else', () => {
    const summaryWith = (more: Partial<MutatedRequest>): string | null => {
      const judgement = judgementOf(answer(404, ''), { apply: without('x-api-key'), more })
      return judgement.kind === 'violates' ? judgement.breach.summary : null
    }
    const once = /^answered 404.* where 400 \/ 1001 is documented$/

    expect(summaryWith({})).toMatch(once)
    expect(summaryWith({ also: [{ status: 400, errorCode: '1001' }] })).toMatch(once)
  })
})

describe('input that the endpoints file describes', () => {
  const described = { file: 'endpoints.json', number: 2, says: 'limit below 1' }
  const toldOf = (response: Response, more: Partial<MutatedRequest>) => {
    const judgement = judgementOf(response, { apply: unchanged, more })
    return judgement.kind === 'violates' ? judgement.breach : null
  }
  const invalid = { described, allowed: [{ status: 400, errorCode: '1030' }] } as const

  it('is told as such where a service treats it otherwise: the file may be wrong', () => {
    expect(toldOf(served, invalid)).toMatchObject({
      difference: 'not as the endpoints file describes the input: forbidden and served',
      summary:
        'answered 200 with JSON to input of endpoints.json (entry 2: limit below 1), which it forbids (400 / 1030 is documented), or the file is wrong',
    })
    expect(toldOf(refused(400, '1030'), { described })).toMatchObject({
      difference: 'not as the endpoints file describes the input: allowed and refused',
      summary:
        'answered 400 / 1030 to input of endpoints.json (entry 2: limit below 1), which it allows, or the file is wrong',
    })
  })

  it.each([
    ['another refusal', refused(401, '1006'), invalid],
    ['an answer that is none', answer(400, { error_code: '1030' }), { described }],
    ['a success of no described input', served, { allowed: invalid.allowed }],
  ])('is told as any other: %s', (_, response, more) => {
    expect(toldOf(response, more)?.summary).not.toContain('input of endpoints.json')
  })
})

describe('a tab around a valid value', () => {
  const tab = { apply: setting('x-api-key', `\t${key}`) }
  const both = { apply: setting('x-api-key', ` ${key} \t `) }

  it('is stripped, or makes it another one', () => {
    for (const sent of [tab, both]) {
      expect(judged(served, sent)).toBe('holds')
      expect(judged(refused(401, '1006'), sent)).toBe('holds')
    }
  })

  it('makes nothing else of it', () => {
    expect(judged(refused(401, '1007'), tab)).toBe('violates')
    expect(judged(refused(400, '1001'), tab)).toBe('violates')
    expect(judged(answer(500, ''), tab)).toBe('violates')
  })

  it('makes a malformed version of one', () => {
    const sent = { apply: setting('x-version', '1\t') }
    const answers = [served, refused(400, '1010'), refused(400, '1030'), refused(400, '1003')]

    expect(answers.map((response) => judged(response, sent))).toEqual(['holds', 'holds', 'holds', 'violates'])
  })

  it('unlike a space before it, which everybody strips', () => {
    const sent = { apply: setting('x-api-key', ` ${key}`) }

    expect(judged(served, sent)).toBe('holds')
    expect(judged(refused(401, '1006'), sent)).toBe('violates')
  })

  it('like a space behind it, which many servers keep', () => {
    const behind = { apply: setting('x-api-key', `${key} `) }
    const version = { apply: setting('x-version', '1 ') }
    const kinds = (sent: Sent, answers: readonly Response[]): readonly string[] =>
      answers.map((response) => judged(response, sent))

    expect(kinds(behind, [served, refused(401, '1006')])).toEqual(['holds', 'holds'])
    expect(kinds(behind, [refused(401, '1007'), refused(400, '1001'), answer(500, '')])).toEqual([
      'violates',
      'violates',
      'violates',
    ])
    expect(kinds(version, [served, refused(400, '1010'), refused(400, '1003')])).toEqual([
      'holds',
      'holds',
      'violates',
    ])
  })

  it('lets nobody in whose other credential is wrong', () => {
    const apply: RequestChange = (request) => setting('x-secret-key', 'wrong')(tab.apply(request))

    expect(judged(served, { apply })).toBe('violates')
    expect(judged(refused(401, '1007'), { apply })).toBe('holds')
    expect(judged(refused(401, '1012'), { apply })).toBe('holds')
  })
})

describe('bytes beyond ASCII in a value', () => {
  it('may be no text to a service, which then misses the field', () => {
    const apply = setting('x-api-key', `${key}\xc3\xa9`)

    expect(judged(refused(400, '1001'), { apply })).toBe('holds')
    expect(judged(refused(401, '1006'), { apply })).toBe('holds')
    expect(judged(served, { apply })).toBe('violates')
    expect(judged(refused(400, '1002'), { apply })).toBe('violates')
  })

  it.each([
    ['x-secret-key', '1002'],
    ['x-version', '1003'],
  ] as const)('in %s as well', (name, code) => {
    expect(judged(refused(400, code), { apply: setting(name, 'a\xff') })).toBe('holds')
    expect(judged(served, { apply: setting(name, 'a\xff') })).toBe('violates')
  })

  it('elsewhere change nothing', () => {
    const apply = setting('accept-language', '\xc3\xa9')

    expect(judged(served, { apply })).toBe('holds')
    expect(judged(refused(400, '1001'), { apply })).toBe('violates')
  })
})

describe('what the transport may refuse', () => {
  const sent = { apply: setting('x-api-key', `${key}\xff`), more: { transportMayRefuse: true } }
  const page = answer(200, '<html>blocked</html>', { fields: [['content-type', 'text/html']] })

  it('may be blocked with a page, and called invalid input', () => {
    expect(judged(page, sent)).toBe('holds')
    expect(judged(refused(400, '1030'), sent)).toBe('holds')
  })

  it('is never served, nor answered with a page where there is no excuse', () => {
    expect(judged(served, sent)).toBe('violates')
    expect(judged(page, { apply: sent.apply })).toBe('violates')
  })
})

describe('a request with a paired one, to an unknown path', () => {
  const apply: RequestChange = (request) =>
    to('/api/zzabcdefghijklmn')(setting('x-api-key', `a\xc2\x9f${key}`)(request))
  const more = {
    transportMayRefuse: true,
    pairedRequest: { relation: 'invented-credential', apply: unchanged },
  } as const
  const unknown = refused(400, '1010')

  it('was let in where it gets to the endpoint, and the paired one does not', () => {
    for (const before of [refused(401, '1006'), refused(400, '1001'), refused(400, '1030')]) {
      expect(judged(unknown, { apply, more, before })).toBe('violates')
      expect(judged(before, { apply, more, before })).toBe('holds')
    }
  })

  it('says nothing where the endpoint is looked for first, or the paired one was refused by the transport', () => {
    const unfit = [answer(401, { error_code: '1006' }), refused(400, '1006'), answer(400, '<html>')]
    for (const before of [unknown, ...unfit, answer(403, { message: 'no' }), answer(500, '')]) {
      expect(judged(unknown, { apply, more, before })).toBe('holds')
    }
    expect(judged(unknown, { apply, more })).toBe('holds')
  })

  it('is held against nothing but that: another refusal may be another one than the paired one gets', () => {
    const before = refused(401, '1006')

    expect(judged(refused(400, '1030'), { apply, more, before })).toBe('holds')
    expect(judged(refused(400, '1001'), { apply, more, before })).toBe('holds')
    expect(judged(answer(431, ''), { apply, more, before })).toBe('holds')
    expect(judged(answer(500, ''), { apply, more, before })).toBe('violates')
  })

  it('is known by the order of checks alone, which a service may change', () => {
    const byOrder = judgementOf(unknown, { apply, more, before: refused(401, '1006') })
    const byItself = judgementOf(answer(500, ''), { apply, more, before: refused(401, '1006') })

    expect(byOrder).toMatchObject({ kind: 'violates', breach: { against: 'order' } })
    expect(byItself.kind === 'violates' ? byItself.breach.against : true).toBeUndefined()
  })

  it('is told with why', () => {
    const judgement = judgementOf(unknown, { apply, more, before: refused(401, '1006') })

    expect(judgement.kind === 'violates' ? judgement.breach.summary : null).toBe(
      'answered 400 / 1010 where 401 / 1006 or 400 / 1001 or 400 / 1030 is documented; the same with an invented credential is answered 401 / 1006',
    )
  })
})

describe('a line that is hardly HTTP', () => {
  it.each([
    ['a control character', setting('x-api-key', `${key.slice(0, 4)}\x01${key.slice(4)}`)],
    ['a folded line', setting('x-secret-key', 'a\r\n b')],
    ['a bare CR', setting('x-version', '1\r2')],
    ['an oversized line', setting('x-api-key', 'x'.repeat(8_192))],
  ])('may be dropped, or end the head: %s', (_, change) => {
    const sent = {
      apply: (request: Request): Request => to('/api/zzabcdefghijklmn')(change(request)),
      more: { transportMayRefuse: true },
    }

    for (const code of ['1001', '1002', '1003'] as const)
      expect(judged(refused(400, code), sent)).toBe('holds')
    expect(judged(refused(401, '1012'), sent)).toBe('violates')
    expect(judged(served, sent)).toBe('violates')
  })

  it('is no excuse for an ordinary value', () => {
    expect(judged(refused(400, '1001'), { apply: setting('x-api-key', 'zz') })).toBe('violates')
  })
})

describe('a condition that weakens a breach', () => {
  const wrongSecret = setting('x-secret-key', 'nobodys')
  const breachOf = (
    response: Response,
    more: Partial<MutatedRequest>,
    apply = wrongSecret,
  ): object | null => {
    const judgement = judgementOf(response, { apply, more })
    return judgement.kind === 'violates' ? judgement.breach : null
  }

  it.each(['implied', 'warning'] as const)('makes a wrong code and a wrong form %s', (weakness) => {
    for (const response of [refused(401, '1006'), answer(401, '<html>'), answer(500, '')]) {
      expect(breachOf(response, { weakness })).toMatchObject({ [weakness]: true })
      expect(breachOf(response, {})).not.toHaveProperty(weakness)
    }
  })

  it.each([
    ['the list', served, false],
    ['that it is known already', answer(304, ''), false],
    ['a part of something', answer(206, '{"cu'), true],
    ['a part that is JSON', answer(206, { customizations: [] }), true],
    ['a page', answer(200, '<html>'), true],
  ])('leaves it as it is where a wrong secret gets %s', (_, response, isWeak) => {
    expect(Object.hasOwn(breachOf(response, { weakness: 'implied' }) ?? {}, 'implied')).toBe(isWeak)
  })

  it('leaves it as it is where a version is unsupported, too', () => {
    const apply: RequestChange = (request) => setting('x-version', '2147483647')(wrongSecret(request))

    expect(breachOf(answer(304, ''), { weakness: 'implied' }, apply)).not.toHaveProperty('implied')
  })

  it.each([
    ['unchanged', unchanged],
    ['with a tab, which may be stripped', setting('x-api-key', `\t${key}`)],
  ])('weakens a wrong answer where a success is fine: %s', (_, apply) => {
    expect(breachOf(answer(304, ''), { weakness: 'implied' }, apply)).toMatchObject({ implied: true })
  })

  it('weakens a 304 to a flaw that is not of credentials', () => {
    const apply = setting('x-version', '2147483647')

    expect(breachOf(answer(304, ''), { weakness: 'implied' }, apply)).toMatchObject({ implied: true })
    expect(breachOf(served, { weakness: 'implied' }, apply)).not.toHaveProperty('implied')
  })
})

describe('a condition that allows more', () => {
  it('allows these answers besides those of the flaw, and no success', () => {
    const sent = {
      apply: without('x-api-key'),
      more: { also: [{ status: 400, errorCode: '1010' }] },
    } as const

    expect(judged(refused(400, '1010'), sent)).toBe('holds')
    expect(judged(refused(400, '1001'), sent)).toBe('holds')
    expect(judged(refused(400, '1002'), sent)).toBe('violates')
    expect(judged(served, sent)).toBe('violates')
    expect(judged(refused(400, '1010'), { apply: sent.apply })).toBe('violates')
  })

  it('is content with a part of the success, or with none that is known already', () => {
    const sent = { apply: unchanged, more: { mayBePartial: true } } as const
    const answers = [served, answer(206, '{"cu'), answer(304, ''), answer(416, ''), answer(412, '')]

    expect(answers.map((response) => judged(response, sent))).toEqual([
      'holds',
      'holds',
      'holds',
      'holds',
      'violates',
    ])
    expect(judged(answer(304, ''), { apply: unchanged })).toBe('violates')
  })
})

describe('a malformed field', () => {
  const sent = { apply: unchanged, more: { fieldMayBeRefused: true as const } }

  it('may be refused in any way, or be passed over', () => {
    const answers = [served, answer(304, ''), answer(400, ''), answer(412, ''), refused(400, '1030')]
    expect(answers.map((response) => judged(response, sent))).toEqual(answers.map(() => 'holds'))
  })

  it('must not make the service fail, or let somebody in', () => {
    expect(judged(answer(500, ''), sent)).toBe('violates')
    expect(judged(served, { ...sent, apply: setting('x-api-key', 'zz') })).toBe('violates')
  })
})
