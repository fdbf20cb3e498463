import { settingTable } from './setting-table.ts'

/** All settings as a Markdown table, which the README holds verbatim. */
export function settingsMarkdown(): string {
  const rows = settingTable.map(({ name, flag, argument, about, default: usual }) => {
    const how = flag === null ? '' : `\`--${flag}${argument === null ? '' : ` ${argument}`}\``
    return `| \`${name}\` | ${how} | ${about.replaceAll('|', '\\|')} | ${usual === undefined ? '' : `\`${usual}\``} |`
  })
  return ['| setting | flag | meaning | default |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
