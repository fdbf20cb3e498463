import { describe, expect, it, onTestFinished } from 'vitest'
import { variants as shipped } from '../../../lib/serve/reference/variants.ts'
import { findVariant } from '../find.ts'
import { startService } from '../start.ts'
import { variants } from './all-variants.ts'

describe('the variants', () => {
  it('are at least 70, each with a unique name in kebab case', () => {
    const names = variants.map(({ name }) => name)

    expect(names.length).toBeGreaterThanOrEqual(70)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z][a-z\d.]*(?:-[a-z\d.]+)*$/.test(name))).toEqual([])
  })

  it('are described in a sentence', () => {
    expect(variants.filter(({ about }) => !/^[A-Z\d(].*\.$/.test(about)).map(({ name }) => name)).toEqual([])
  })

  it('need only settings for the target or for fixtures', () => {
    const settings = variants.flatMap((variant) => Object.keys(variant.settings ?? {}))

    expect(settings.filter((name) => !/^(?:TARGET|FIXTURE)_[A-Z_]+$/.test(name))).toEqual([])
  })

  it('include every variant that ships, and are found by name', () => {
    expect(shipped.filter(({ name }) => findVariant(name).name !== name)).toEqual([])
    expect(shipped).toHaveLength(20)
    expect(() => findVariant('list-nul')).toThrow('unknown variant "list-nul"')
  })
})

describe('a fault in a service with a variant', () => {
  const [called, list] = [{ error_code: '1006' }, { customizations: expect.any(Array) }]
  it.each([
    ['gzip-unasked', 'missing-api-key-called-invalid', list, 401, called],
    ['order-reversed', 'missing-api-key-called-invalid', list, 401, called],
    ['errors-as-problems', 'missing-api-key-called-invalid', list, 401, called],
    ['path-prefix', 'missing-api-key-called-invalid', list, 401, called],
    ['early-hints', 'missing-api-key-called-invalid', list, 401, called],
    ['list-null', 'missing-api-key-code-is-a-number', null, 400, { error_code: 1001 }],
  ])('still works with %s: %s', async (variant, fault, value, status, refusal) => {
    const service = await startService({ variant, faults: [fault] })
    const { baseUrl, clients } = service
    onTestFinished(() => service.close())
    const { apiKey, secretKey } = clients.permitted
    const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${baseUrl}/api/customizations/list`, {
        headers: { 'x-secret-key': secretKey, 'x-version': '1', ...headers },
      })
    const [served, refused] = [await ask({ 'x-api-key': apiKey }), await ask({})]

    expect([served.status, refused.status]).toEqual([200, status])
    expect([await served.json(), await refused.json()]).toMatchObject([value, refusal])
  })
})
