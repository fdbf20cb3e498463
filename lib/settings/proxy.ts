import type { Part } from './mistake.ts'
import { shownUrl } from './base-url.ts'

/** Checks the address of a proxy; user name and password are allowed in it and never shown. */
export function readProxy(text: string | undefined): Part<string | null> {
  if (text === undefined) return { value: null, mistakes: [] }

  const schemed = /^https?:\/\/[^/]/i.test(text)
  if (schemed && URL.canParse(text)) return { value: text, mistakes: [] }

  const mistake = {
    setting: 'HTTPS_PROXY',
    given: shownUrl(text),
    expected: 'the address of a proxy, beginning with http:// or https://',
    hint: schemed ? null : 'as in http://proxy.example:3128',
  }
  return { value: null, mistakes: [mistake] }
}

/** The user name and password in the address of a proxy, as written and decoded. */
export function secretsIn(address: string): readonly string[] {
  const userInfo = /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1]
  if (userInfo === undefined) return []

  const colon = userInfo.indexOf(':')
  const parts = colon < 0 ? [userInfo] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)]
  return [userInfo, ...parts].flatMap((part) => [part, decodedOr(part)]).filter((part) => part !== '')
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
