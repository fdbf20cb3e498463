/** A workflow command that GitHub's runner would carry out. */
export interface WorkflowCommand {
  readonly name: string
  readonly line: string
}

const current = /^\s*::(?<name>[^\s:]+)(?: [^\n]*?)?::(?<data>.*)$/
const former = /##\[(?<name>[^\s\]]+)[^\]]*\](?<data>.*)$/

/**
 * The commands that the runner reads from a log, line by line: `::name …::` at the beginning of a line, `##[name …]` anywhere in it,
 * none between `stop-commands` and its token. Source: ActionCommand.cs and ActionCommandManager.cs of actions/runner.
 */
export function commandsIn(log: string): readonly WorkflowCommand[] {
  const commands: WorkflowCommand[] = []
  let token: string | null = null
  for (const line of log.split(/\r\n|\n|\r/)) {
    const { name, data } = (current.exec(line) ?? former.exec(line))?.groups ?? {}
    if (name === undefined) continue
    if (token !== null) {
      if (name === token) token = null
      continue
    }
    if (name === 'stop-commands') token = data ?? ''
    commands.push({ name, line })
  }
  return commands
}
