import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import { startReference, type ReferenceService } from '../../../lib/serve/reference/service.ts'
import { answering } from '../measure/child.ts'
import type { ReferenceAnswer, ReferenceQuestion } from './reference.ts'

interface Running {
  readonly service: ReferenceService
  /** When the first request arrived, on the clock that all processes share; null before. */
  firstAt: number | null
}

const listPath = '/api/customizations/list'
const furtherPath = /^\/api\/bench\/endpoint-\d+(?=$|\?)/
const running = new Map<string, Running>()

answering<ReferenceQuestion, ReferenceAnswer>(async (question) => {
  if (question.kind === 'start') return started(question)
  const found = running.get(question.baseUrl)
  if (found === undefined) throw new Error(`nothing runs at ${question.baseUrl}`)
  running.delete(question.baseUrl)
  await found.service.close()
  return { kind: 'stopped', requests: found.service.requests(), firstAt: found.firstAt }
})

async function started({ latencyMs }: { readonly latencyMs: number }): Promise<ReferenceAnswer> {
  const service = await startReference({
    latencyMs,
    intervene: (request) => {
      one.firstAt ??= Number(process.hrtime.bigint()) / 1e6
      // Further endpoints behave as the list does.
      request.url = request.url?.replace(furtherPath, listPath) ?? ''
      return false
    },
  })
  const one: Running = { service, firstAt: null }
  running.set(service.baseUrl, one)
  return { kind: 'started', env: settingsOf(service), baseUrl: service.baseUrl }
}
