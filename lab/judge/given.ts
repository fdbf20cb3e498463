import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import { describedCards } from './described-cards.ts'
import type { Service } from './service.ts'

/** The list of the reference service, as an endpoints file may describe it. */
const properties = { customizations: { type: 'array' } }
const success = { type: 'object', required: ['customizations'], properties }
const describedList = { method: 'GET', path: '/api/customizations/list', versions: [1], success }

/** Additional settings that a run needs to notice a subject. Their files are created in this folder. */
export async function given({ needs }: Pick<Service, 'needs'>, folder: string) {
  if (needs === undefined) return {}
  if (needs === 'baseline')
    return { RUN_BASELINE: await baselineOfPlainService(join(folder, 'baseline.json')) }
  const listed = JSON.stringify(typeof needs === 'object' ? needs.endpoints : [describedList])
  const text = needs === 'described-input' ? (await describedCards()).text : listed
  const TARGET_ENDPOINTS = join(folder, 'endpoints.json')
  await writeFile(TARGET_ENDPOINTS, text)
  return { TARGET_ENDPOINTS }
}

/** Makes a baseline of the unchanged service. Returns its file. */
async function baselineOfPlainService(file: string): Promise<string> {
  const service = await startReference()
  try {
    const { code } = await runInProcess(['--baseline', file], { env: settingsOf(service) })
    if (code !== 0) throw new Error(`the run for a baseline of the plain service ended with ${code}`)
    return file
  } finally {
    await service.close()
  }
}
