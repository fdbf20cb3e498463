/** Allure's page would load something from elsewhere. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError'
}

/** What Allure puts into every report: a script of a statistics service, and the few lines that set it up. */
const analytics =
  /<script async src="https:\/\/www\.googletagmanager\.com\/[^"]*"><\/script>\s*<script>[^<]*\bgtag\([^<]*<\/script>/g

/** The second wall: whatever a later version of Allure, or a service that was judged, puts into the page, nothing is fetched. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' data:",
  "style-src 'unsafe-inline' data:",
  'img-src data: blob:',
  'font-src data:',
  'connect-src data: blob:',
  'frame-src data: blob:',
  "form-action 'none'",
].join('; ')

/** Tags that load what an attribute names, but for links that somebody has to follow. */
const loading =
  /<(?:script|link|img|iframe|embed|object|audio|video|source|track|input|use|image)\b[^>]*?\s(?:src|href|xlink:href|data|srcset|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

const trackers = /googletagmanager|google-analytics|\bgtag\s*\(/

/** Allure's page without the script from outside; throws {@link OutsideError} where anything is left that would be loaded. */
export function selfContained(html: string): string {
  const page = html.replaceAll(analytics, '')
  const outside = [...new Set([...loaded(page), ...mentioned(page)])]
  if (outside.length > 0) {
    const shown = outside.map((one) => (one.length > 200 ? `${one.slice(0, 200)}…` : one))
    throw new OutsideError(`Allure's page would load from elsewhere: ${shown.join(', ')}`)
  }
  if (!page.includes('<head>')) throw new OutsideError("Allure's page has no head to put a policy into")
  return page.replace(
    '<head>',
    () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
  )
}

function loaded(page: string): readonly string[] {
  return [...page.matchAll(loading)]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    .filter((address) => !/^\s*(?:data:|#)/i.test(address))
}

/** What tracks readers by name, in the page's own text and in the scripts that it carries along. */
function mentioned(page: string): readonly string[] {
  const carried = [...page.matchAll(/src="data:text\/javascript;base64,([^"]*)"/g)].map(([, code = '']) =>
    Buffer.from(code, 'base64').toString(),
  )
  return [page, ...carried].flatMap((text) => trackers.exec(text)?.[0] ?? [])
}
