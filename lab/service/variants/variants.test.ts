import { describe, it } from 'vitest'
import { startService } from '../start.ts'
import { readAnswer, type ReadAnswer } from '../testing/read-answer.ts'
import { variants as shipped } from '../../../lib/serve/reference/variants.ts'
import { variants } from './all-variants.ts'
import { findVariant } from '../find.ts'

describe('the variants', () => {
  it('are many, each with a name of its own in kebab-case', ({ expect }) => {
    const names = variants.map(({ name }) => name)

    expect(names.length).toBeGreaterThanOrEqual(70)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z][a-z\d.]*(?:-[a-z\d.]+)*$/.test(name))).toEqual([])
  })

  it('say what they do in a sentence', ({ expect }) => {
    expect(variants.filter(({ about }) => !/^[A-Z\d(].*\.$/.test(about)).map(({ name }) => name)).toEqual([])
  })

  it('ask for settings of a target or of fixtures only', ({ expect }) => {
    const settings = variants.flatMap((variant) => Object.keys(variant.settings ?? {}))

    expect(settings.filter((name) => !/^(?:TARGET|FIXTURE)_[A-Z_]+$/.test(name))).toEqual([])
  })

  it('hold every variant that ships, and are found by name', ({ expect }) => {
    expect(shipped.filter(({ name }) => findVariant(name).name !== name)).toEqual([])
    expect(shipped).toHaveLength(20)
    expect(() => findVariant('list-nul')).toThrow('unknown variant "list-nul"')
  })
})

it.concurrent.for(variants.map(({ name }) => name))(
  '%s serves a valid request and refuses one without a key',
  async (name, { expect }) => {
    const { served, refused } = await servedAndRefused(name)

    expect(served.status).toBeGreaterThanOrEqual(200)
    expect(served.status).toBeLessThan(300)
    expect(refused).toMatchObject({ status: 400, value: { error_code: '1001' } })
    expect(refused.value).toHaveProperty('error_message', expect.any(String))
  },
)

async function servedAndRefused(
  variant: string,
): Promise<{ readonly served: ReadAnswer; readonly refused: ReadAnswer }> {
  const service = await startService({ variant })
  try {
    const { apiKey, secretKey } = service.clients.permitted
    const { TARGET_VERSION = '1', TARGET_QUERY } = service.settings
    const query = TARGET_QUERY === undefined ? '' : `?${TARGET_QUERY}`
    const url = `${service.baseUrl}/api/customizations/list${query}`
    const others = { 'x-secret-key': secretKey, 'x-version': TARGET_VERSION }
    return {
      served: await readAnswer(url, { 'x-api-key': apiKey, ...others }),
      refused: await readAnswer(url, others),
    }
  } finally {
    await service.close()
  }
}

describe('a fault behind another manner', () => {
  it.for(['gzip-unasked', 'order-reversed', 'errors-as-problems', 'path-prefix', 'early-hints'])(
    'stays what it is behind %s',
    async (variant, { expect }) => {
      const service = await startService({ variant, faults: ['missing-api-key-called-invalid'] })
      const { secretKey } = service.clients.permitted
      const url = `${service.baseUrl}/api/customizations/list`
      const answer = await readAnswer(url, { 'x-secret-key': secretKey, 'x-version': '1' })
      await service.close()

      expect(answer).toMatchObject({ status: 401, value: { error_code: '1006' } })
    },
  )

  it('is written as the fault has it where the fault wrote it', async ({ expect }) => {
    const service = await startService({
      variant: 'list-null',
      faults: ['missing-api-key-code-is-a-number'],
    })
    const { apiKey, secretKey } = service.clients.permitted
    const url = `${service.baseUrl}/api/customizations/list`
    const others = { 'x-secret-key': secretKey, 'x-version': '1' }
    const served = await readAnswer(url, { 'x-api-key': apiKey, ...others })
    const refused = await readAnswer(url, others)
    await service.close()

    expect(served).toEqual({ status: 200, value: null })
    expect(refused).toMatchObject({ status: 400, value: { error_code: 1001 } })
  })
})
