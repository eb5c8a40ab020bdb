'use strict';
(function () {
  var root = document.documentElement;
  var button = document.getElementById('theme');
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  var stored = null;
  try { stored = localStorage.getItem('rnnadvisor-theme'); } catch (error) { stored = null; }
  // #theme=dark or #theme=light shows the page so, whatever the system prefers.
  var asked = /[#&]theme=(dark|light)/.exec(location.hash);
  function isDark() { return root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches; }
  function label() { button.textContent = isDark() ? 'Light theme' : 'Dark theme'; }
  if (asked) root.dataset.theme = asked[1];
  else if (stored === 'dark' || stored === 'light') root.dataset.theme = stored;
  button.hidden = false;
  label();
  dark.addEventListener('change', label);
  button.addEventListener('click', function () {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('rnnadvisor-theme', root.dataset.theme); } catch (error) { stored = null; }
    label();
  });

  // A link to something folded unfolds it.
  function reveal() {
    var target = /^#[\w-]+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
    for (var node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    if (target) target.scrollIntoView();
  }
  window.addEventListener('hashchange', reveal);
  reveal();

  function all(selector) { return Array.prototype.slice.call(document.querySelectorAll(selector)); }
  function fold(open) { all('details.card').forEach(function (each) { each.open = open; }); }
  var tools = document.querySelector('.tools');
  if (tools) {
    tools.hidden = false;
    document.getElementById('unfold').addEventListener('click', function () { fold(true); });
    document.getElementById('fold').addEventListener('click', function () { fold(false); });
  }

  function value(row, column) {
    var cell = row.children[column];
    var text = cell.hasAttribute('data-v') ? cell.getAttribute('data-v') : cell.textContent.trim();
    return text === '' ? null : isNaN(text) ? text : Number(text);
  }
  all('table.sortable').forEach(function (table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var sorter = document.createElement('button');
      sorter.type = 'button';
      sorter.textContent = head.textContent;
      head.textContent = '';
      head.appendChild(sorter);
      sorter.addEventListener('click', function () {
        var down = head.getAttribute('aria-sort') !== 'descending';
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          var x = value(a, column), y = value(b, column);
          if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;  // unknown last, either way
          var order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
          return down ? -order : order;
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  });
  root.dataset.ready = 'yes';
})();
