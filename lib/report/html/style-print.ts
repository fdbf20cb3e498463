/**
 * On paper: two pages of A4 for the statement, then the findings and the rest, all of it open and in dark ink. Filters do not
 * count: a statement from which somebody filtered what failed would be none.
 */
export const printStyle = `
@media print {
  @page { size: A4; margin: 11mm 13mm; }
  :root, :root[data-theme] { color-scheme: light; font-size: 9pt; }
  body { background: #fff; font-size: 8.5pt; line-height: 1.35; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, .top, footer { max-width: none; padding-inline: 0; }
  .skip, .themes, .contents, .filters, .copyable button { display: none !important; }
  .top { padding-block: 0 2mm; }
  section { margin-block: 4mm; }
  .card, .hero, .alarm, .embedded { border-radius: 1.5mm; padding: 2.5mm 3mm; }
  .card, .hero, .embedded { break-inside: avoid; }
  .embedded { font-size: 11pt; margin-bottom: 2.5mm; }
  .hero { border-width: 0.3mm; border-top-width: 1mm; } .hero h1 { font-size: 14pt; } .hero > .icon { width: 10mm; height: 10mm; }
  .facts { grid-template-columns: repeat(4, 1fr); gap: 1.2mm 4mm; margin-top: 2.5mm; padding-top: 2mm; font-size: 7.5pt; }
  .proportion { height: 1.6mm; margin-top: 2.5mm; } .counts { margin-top: 1.5mm; }
  .coverage { grid-template-columns: 3fr 4fr 8fr; gap: 3mm; margin-block: 3mm 0; }
  .coverage .card { font-size: 7pt; } .coverage .card:last-child ul { columns: 2; column-gap: 4mm; } .coverage li { break-inside: avoid; } .coverage h2 { font-size: 9pt; margin-bottom: 1mm; }
  .coverage .plain li { padding: 0.5mm 0; } .areas th, .areas td { padding: 0.3mm 0; } .ids { font-size: 6.5pt; }
  h2 { font-size: 11pt; margin-bottom: 1.5mm; break-after: avoid; } h3 { break-after: avoid; }
  .matrix > table { border: 0; border-radius: 0; overflow: visible; }
  .matrix tr, .list tr { break-inside: avoid; } .area { break-after: avoid; }
  .matrix td, .matrix th { padding: 0.45mm 1mm !important; font-size: 7pt; line-height: 1.22; }
  .matrix td:first-child { width: 1%; } .matrix td:nth-child(3) { width: 36mm; } .matrix .badge { font-size: 7pt; }
  .sentence { display: inline; } .id { font-size: 6.3pt; } .because { font-size: 6.8pt; }
  .wide { display: table-cell; } .narrow { display: none; } .matrix .badge { flex-direction: row; }
  .matrix + section { break-before: page; }
  .matrix tbody[hidden] { display: table-row-group !important; } .matrix tr[hidden] { display: table-row !important; }
  .findings article[hidden] { display: block !important; } #none-shown { display: none !important; }
  .findings article { padding: 3mm; }
  .finding > summary { break-after: avoid; padding: 1mm 0; } .finding > dl { gap: 1.5mm 4mm; font-size: 8pt; padding: 0 0 2mm; }
  .finding::details-content { content-visibility: visible; block-size: auto; }
  .copyable pre { max-height: none; overflow: visible; padding: 1.5mm 2mm; font-size: 7pt; }
  .columns { columns: 2; } .charts { grid-template-columns: 1fr 1fr; gap: 3mm; }
}
`
