import { expect, it } from 'vitest'
import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import { startReference } from '../../../lib/serve/reference/service.ts'
import { documentedPairs } from '../../../lib/specification/answers.ts'
import { handWritten } from './hand-written.ts'

it('thirty requests cover every documented code, and the reference service answers as allowed', async () => {
  const service = await startReference()
  const fixtures = settingsOf(service)
  const requests = handWritten(fixtures)
  const answers = await Promise.all(
    requests.map(async ({ path, headers }) => {
      const response = await fetch(`${service.baseUrl}${path}`, { headers })
      const body: { readonly error_code?: string } = JSON.parse(await response.text())
      return { status: response.status, errorCode: body.error_code ?? null }
    }),
  )
  await service.close()

  expect(requests).toHaveLength(30)
  for (const [index, { name, allowed }] of requests.entries())
    expect(allowed, name).toContainEqual(answers[index])
  const codes = new Set(answers.map(({ errorCode }) => errorCode))
  for (const { errorCode } of documentedPairs) expect(codes).toContain(errorCode)
})
