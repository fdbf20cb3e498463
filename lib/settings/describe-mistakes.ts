import type { Mistake } from './mistake.ts'
import { settingNamed } from './setting-table.ts'

/** Mistakes as text for a terminal: a block for each, with the setting and its flag, what was given, what is expected, a hint. */
export function describeMistakes(mistakes: readonly Mistake[]): string {
  const count = mistakes.length === 1 ? 'One mistake' : `${mistakes.length} mistakes`
  const headline = `${count} in the settings; nothing was sent.`

  return `${[headline, ...mistakes.map(block)].join('\n\n')}\n`
}

function block({ setting, given, expected, hint }: Mistake): string {
  const lines = [
    heading(setting),
    `  given     ${given ?? 'nothing'}`,
    `  expected  ${expected}`,
    ...(hint === null ? [] : [`  hint      ${hint}`]),
  ]
  return lines.join('\n')
}

function heading(name: string): string {
  const setting = settingNamed(name)
  if (setting === null) return name

  return setting.flag === null ? `${name} (environment or .env)` : `${name} (--${setting.flag})`
}
