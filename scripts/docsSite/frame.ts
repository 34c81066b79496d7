/**
 * What stands around the text of every page of the site: the way to the other pages, and the search.
 */
export type Framed = { readonly title: string; readonly body: string; readonly root: string; readonly path: string }

const ways: readonly (readonly [page: string, label: string])[] = [
  ['index.html', 'Carillon'],
  ['docs/index.html', 'Documentation'],
  ['docs/tutorial/01-first-state.html', 'Tutorial'],
  ['docs/api/index.html', 'API'],
  ['docs/reference/command-line.html', 'Command line'],
  ['docs/errors/index.html', 'Errors'],
  ['CHANGELOG.html', 'Changelog'],
]

export const frame = ({ title, body, root, path }: Framed): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replaceAll('<', '&lt;')} · Carillon</title>
<link rel="stylesheet" href="${root}/style.css">
<script src="${root}/search.js" data-root="${root}" defer></script>
</head>
<body>
<header>
<nav aria-label="Site">${ways
  .map(([page, label]) => `<a href="${root}/${page}"${page === path ? ' aria-current="page"' : ''}>${label}</a>`)
  .join('')}</nav>
<form role="search"><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"></form>
<ol id="found" aria-live="polite" hidden></ol>
</header>
<main>
${body}
</main>
</body>
</html>
`
