import { describe, expect, it } from 'vitest'
import { OutsideError, selfContained } from './page.ts'

const analytics = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
    <script>
        window.dataLayer = window.dataLayer || [];
        function gtag(){dataLayer.push(arguments);}
        gtag('config', 'G-1', { "report": "awesome" });
    </script>`

function pageWith(body: string): string {
  return `<!DOCTYPE html>\n<html>\n<head>\n<title>Allure</title>\n</head>\n<body>${body}</body>\n</html>`
}

function carried(code: string): string {
  return `<script src="data:text/javascript;base64,${Buffer.from(code).toString('base64')}"></script>`
}

describe("Allure's page", () => {
  it('loses the script from outside, and gets a policy that lets nothing else in', () => {
    const page = selfContained(pageWith(`${carried('start()')}${analytics}<script>d("a","e30=")</script>`))

    expect(page).not.toMatch(/googletagmanager|gtag|dataLayer/)
    expect(page).toContain(`${carried('start()')}<script>d("a","e30=")</script>`)
    expect(page).toMatch(/<head>\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none';/)
  })

  it.each([
    ['another script', '<script async src="https://stats.example/a.js"></script>'],
    ['a relative script', "<script src='app.js'></script>"],
    ['a script without quotes', '<script src=//stats.example/a.js></script>'],
    ['a style sheet', '<link rel="stylesheet" href="https://fonts.example/a.css">'],
    ['a picture', '<IMG alt="" SRC="http://stats.example/pixel.gif">'],
    ['a frame', '<iframe src="https://stats.example/"></iframe>'],
    ['the lines that set the script up', `<script>gtag('config', 'G-1')</script>`],
    ['a tracker in the script that it carries', carried('load("https://www.google-analytics.com/collect")')],
    ['the script in another form', analytics.replace('async src', 'src')],
  ])('is refused with %s', (_, body) => {
    expect(() => selfContained(pageWith(body))).toThrow(OutsideError)
  })

  it('may link to elsewhere, which loads nothing by itself', () => {
    expect(() => selfContained(pageWith('<a href="https://ci.example/1">the build</a>'))).not.toThrow()
  })

  it('is refused without a head, where the policy would be missing', () => {
    expect(() => selfContained('<html></html>')).toThrow(OutsideError)
  })
})
