import { Status } from 'allure-js-commons'
import type { RuntimeMessage } from 'allure-js-commons/sdk'
import { BaseMessageTestRuntime, getGlobalTestRuntime } from 'allure-js-commons/sdk/runtime'
import { attachmentText } from '../../report/allure/allure.ts'
import { ruleResult, type ToldRule } from '../../report/allure/results.ts'

/**
 * Tells Allure's reporter of the rule of the running test what the results of the command line say, but for the causes: these are known
 * only when the run is over.
 */
export async function tellOfRule(rule: ToldRule): Promise<void> {
  const result = ruleResult(rule, { all: [], of: () => [] }, attachmentText)
  const { name = '', description = '', labels, steps } = result
  await send([
    metadata(rule.id, { displayName: name, description, labels }),
    ...attached(result),
    ...steps.flatMap(({ name: summary = '', status, parameters, attachments }): RuntimeMessage[] => [
      { type: 'step_start', data: { name: summary, start: Date.now() } },
      { type: 'step_metadata', data: { parameters } },
      ...attached({ attachments }),
      { type: 'step_stop', data: { status: statusOf(status), stop: Date.now() } },
    ]),
  ])
}

/** Tells it of the run, whose test stands in each file: one result with retries. */
export async function tellOfRun(): Promise<void> {
  await send([metadata('run/verdict', { labels: [{ name: 'epic', value: 'run' }] })])
}

function metadata(id: string, more: Extract<RuntimeMessage, { type: 'metadata' }>['data']): RuntimeMessage {
  return { type: 'metadata', data: { historyId: id, testCaseId: id, ...more } }
}

function attached({ attachments }: Pick<ReturnType<typeof ruleResult>, 'attachments'>): RuntimeMessage[] {
  return attachments.map(({ name, type: contentType = '', source: content }) => ({
    type: 'attachment_content',
    data: { name, contentType, encoding: 'utf8', content },
  }))
}

function statusOf(word: `${Status}` | undefined): Status {
  return Object.values(Status).find((one) => one === word) ?? Status.PASSED
}

/** Without a reporter of Allure nobody listens. */
async function send(messages: readonly RuntimeMessage[]): Promise<void> {
  const runtime = getGlobalTestRuntime()
  if (!(runtime instanceof BaseMessageTestRuntime)) return
  for (const message of messages) await runtime.sendMessage(message)
}
