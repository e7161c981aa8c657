// vendor/preact/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n3) {
  n3 && n3.parentNode && n3.remove();
}
function k(n3, t4, r4) {
  var u4, i4, f5, o5 = {}, e4 = arguments.length;
  for (f5 in t4) "key" == f5 ? u4 = t4[f5] : "ref" == f5 && "function" != typeof n3 ? i4 = t4[f5] : o5[f5] = t4[f5];
  return e4 > 2 && (o5.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n3, o5, u4, i4, null);
}
function m(r4, u4, i4, f5, o5) {
  var e4 = { type: r4, props: u4, key: i4, ref: f5, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o5 || ++t, __i: -1, __u: 0 };
  return !o5 && n.vnode && n.vnode(e4), e4;
}
function $(n3) {
  return n3.children;
}
function x(n3, t4) {
  this.props = n3, this.context = t4, this.__g = 0;
}
function S(n3, t4) {
  if (null == t4) return n3.__ && S(n3.__, n3.__i + 1);
  for (var r4; t4 < n3.__k.length; t4++) if ((r4 = n3.__k[t4]) && r4.__e) return r4.__e;
  return "function" != typeof n3.type || n3.props.__P ? null : S(n3);
}
function C(t4) {
  var r4, u4 = t4.__v, i4 = u4.__e, f5 = [], o5 = [], e4 = t4.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t4.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f5, i4 || S(u4), 32 & u4.__u, o5), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f5, r4, o5), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n3) {
  if ((n3 = n3.__) && n3.__c && !n3.props.__P) return n3.__e = null, n3.__k.some(function(t4) {
    return t4 && (n3.__e = t4.__e);
  }), j(n3);
}
function L(t4) {
  (8 & t4.__g || (t4.__g |= 8, u.push(t4), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n3, t4 = 1; u.length; ) u.length > t4 && u.sort(o), n3 = u.shift(), t4 = u.length, 8 & n3.__g && C(n3);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n3, t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h4, v5, w5, d5, _6, g5 = u4.__k || y, k5 = t4.length;
  for (l4 = q(r4, t4, g5, l4, k5), s4 = 0; s4 < k5; s4++) null != (v5 = r4.__k[s4]) && (h4 = ~v5.__i && g5[v5.__i] || p, v5.__i = s4, _6 = z(n3, v5, h4, i4, f5, o5, e4, l4, c4, a5), w5 = v5.__e, (h4.ref != v5.ref || 8 & h4.__u) && (h4.ref && G(h4.ref, null, v5, h4), v5.ref && a5.push(v5.ref, v5.__c || w5, v5)), d5 = d5 || w5, 4 & v5.__u ? (l4 = A(v5, l4, n3, !h4.__v), h4.__e && (h4.__e = null)) : "function" == typeof v5.type && void 0 !== _6 ? l4 = _6 : w5 && (l4 = w5.nextSibling), v5.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n3, t4, r4, u4, i4) {
  var f5, o5, e4, l4, c4, a5, s4, p5, y5, v5 = r4.length, d5 = v5, _6 = 0, g5 = 0, k5 = n3.__k = Array(i4);
  for (f5 = 0; f5 < i4; f5++) null != (o5 = t4[f5]) && "boolean" != typeof o5 && "function" != typeof o5 ? ("object" != typeof o5 || o5.constructor === String ? o5 = k5[f5] = m(null, o5) : w(o5) ? o5 = k5[f5] = m($, { children: o5 }) : o5.constructor === h && o5.__b ? o5 = k5[f5] = m(o5.type, o5.props, o5.key, o5.ref, o5.__v) : k5[f5] = o5, l4 = f5 + _6, o5.__ = n3, o5.__b = n3.__b + 1, e4 = null, ~(c4 = o5.__i = P(o5, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o5.__u |= 16, c4 == l4 - 1 ? _6-- : c4 == l4 + 1 ? _6++ : c4 != l4 && (c4 > l4 ? _6-- : _6++, g5 = 1)) : (~c4 || (i4 > v5 ? _6-- : i4 < v5 && _6++), "function" != typeof o5.type && (o5.__u |= 4))) : k5[f5] = null;
  if (g5) {
    for (a5 = [], s4 = [], f5 = 0; f5 < i4; f5++) if ((o5 = k5[f5]) && 16 & o5.__u) {
      for (_6 = 0, p5 = a5.length; _6 < p5; ) a5[y5 = _6 + p5 >> 1] < o5.__i ? _6 = y5 + 1 : p5 = y5;
      a5[_6] = o5.__i, s4[f5] = _6 + 1;
    }
    for (_6 = a5.length; f5--; ) s4[f5] && (s4[f5] == _6 ? _6-- : k5[f5].__u |= 4);
  }
  if (d5) for (f5 = 0; f5 < v5; f5++) !(e4 = r4[f5]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n3, t4, r4, u4) {
  var i4, f5, o5, e4;
  if ("function" == typeof n3.type) {
    if (n3.props.__P) return t4;
    if (i4 = n3.__k) for (f5 = 0; f5 < i4.length; f5++) i4[f5] && (i4[f5].__ = n3, t4 = A(i4[f5], t4, r4, false));
    return t4;
  }
  for (t4 && !t4.parentNode && (t4 = S(n3)) && !t4.parentNode && (t4 = null), o5 = n3.__e, e4 = t4; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o5 != e4 && (!u4 && r4.moveBefore && o5.parentNode ? r4.moveBefore(o5, t4) : r4.insertBefore(o5, t4 || null)), t4 = o5; (t4 = t4 && t4.nextSibling) && 8 == t4.nodeType && !t4.data.startsWith("$s"); ) ;
  return t4;
}
function P(n3, t4, r4, u4) {
  var i4, f5 = n3.key, o5 = n3.type, e4 = t4[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f5 || l4 && f5 == e4.key && o5 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t4.length; i4++) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
  }
  return -1;
}
function T(n3, t4, r4) {
  null == r4 && (r4 = ""), "-" == t4[0] ? n3.setProperty(t4, r4) : n3[t4] = r4;
}
function N(n3, t4, r4, u4, i4) {
  var f5, o5;
  if ("style" == t4) if ("string" == typeof r4) n3.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n3.style.cssText = u4 = ""), u4) for (t4 in u4) r4 && t4 in r4 || T(n3.style, t4);
    if (r4) for (t4 in r4) u4 && r4[t4] == u4[t4] || T(n3.style, t4, r4[t4]);
  }
  else if ("o" == t4[0] && "n" == t4[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n3.__e || (n3.__e = {}))[t4] = r4, r4 && u4 || (o5 = a[t4] || (a[t4] = V(t4)), (n3.__a || (n3.__a = {}))[t4] = c, f5 = t4 != (t4 = t4.replace(l, "$1")), (t4 = t4.slice(2))[0] < "a" && (t4 = t4.toLowerCase()), r4 ? n3.addEventListener(t4, o5, f5) : n3.removeEventListener(t4, o5, f5));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t4 = t4.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t4 && "height" != t4 && "href" != t4 && "list" != t4 && "form" != t4 && "tabIndex" != t4 && "download" != t4 && "rowSpan" != t4 && "colSpan" != t4 && "role" != t4 && "popover" != t4 && t4 in n3) try {
      return void (n3[t4] = null == r4 ? "" : r4);
    } catch (n4) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t4[4] ? n3.removeAttribute(t4) : n3.setAttribute(t4, "popover" == t4 && 1 == r4 ? "" : r4);
  }
}
function V(t4) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t4], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t4]) return;
      return u4(n.event ? n.event(r4) : r4);
    }
  };
}
function z(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, p5, v5, d5, k5, b3, m5, M3, C3, j3, L2, H2, q3, A4, O2, P3, T4, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o5 = [], 8 == s4.nodeType ? l4 = B(s4, o5) : o5.push(s4), l4 = o5[0] || l4), (s4 = n.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v5 = e4.length;
    try {
      if (M3 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j3 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j3 ? j3.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M3, L2) : (r4.__c = d5 = new x(M3, L2), d5.constructor = V2, d5.render = K), j3 && j3.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M3, d5.__s)))), k5 = d5.props, b3 = d5.state, d5.__v = r4, u4.__c) {
        if (M3 !== k5 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M3, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M3, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M3, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n3) {
            n3 && (n3.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M3, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k5, b3, m5);
        });
      } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M3, d5.__P = t4, d5.__g &= -5, H2 = n.__r, q3 = C3 ? 25 : 0;
      do {
        d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q3 < 25);
      C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k5, b3)), A4 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M3.__P && (s4 = l4, f5 = (t4 = M3.__P).namespaceURI, c4 = o5 = null, u4.props && u4.props.__P != t4 && (u4.__k.some(function(n3) {
        n3 && J(n3, n3);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t4, w(A4) ? A4 : [A4], r4, u4, i4, f5, o5, e4, l4, c4, a5), M3.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t5) {
      if (e4.length = v5, r4.__v = null, c4 || o5) if (t5 && t5.then) {
        if (r4.__u |= 128 | c4, o5) {
          for (~(T4 = o5.indexOf(l4 || void 0)) || (T4 = o5.length); (N2 = o5[T4 - 1]) && 8 == N2.nodeType; ) T4--;
          for (; T4 < o5.length; T4++) if (N2 = o5[T4]) if (o5[T4] = null, O2) {
            if (N2 == P3) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P3 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O2 = l4;
        }
        (s4 = B(O2 = r4.__c.__z || (r4.__c.__z = O2))) ? (r4.__e = O2, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o5 && o5.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t5 && t5.then || D(r4), n.__e(t5, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f5, o5, e4, c4, a5, t4);
  return (s4 = n.diffed) && s4(r4), l4;
}
function B(n3, t4) {
  if (n3 && 8 == n3.nodeType && n3.data.startsWith("$s")) for (var r4 = 1; n3 = n3.nextSibling; ) {
    if (8 == n3.nodeType) {
      if (n3.data.startsWith("$s")) r4++;
      else if (n3.data.startsWith("/$s") && !--r4) return n3;
    }
    t4 && t4.push(n3);
  }
}
function D(n3) {
  n3 && (n3.__c && (n3.__c.__g |= 4), n3.__k && n3.__k.some(D));
}
function E(t4, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n.__c && n.__c(r4, t4), t4.some(function(r5) {
    try {
      t4 = r5.__h, r5.__h = [], t4.some(function(n3) {
        n3.call(r5);
      });
    } catch (t5) {
      n.__e(t5, r5.__v);
    }
  });
}
function F(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h4, y5, _6, k5, b3, m5, M3, $2 = u4.props || p, x4 = r4.props, C3 = r4.type;
  if ("svg" == C3 ? f5 = "http://www.w3.org/2000/svg" : "math" == C3 ? f5 = "http://www.w3.org/1998/Math/MathML" : f5 || (f5 = "http://www.w3.org/1999/xhtml"), o5) {
    for (s4 = 0; s4 < o5.length; s4++) if ((k5 = o5[s4]) && (C3 ? k5.localName == C3 : 3 == k5.nodeType)) {
      t4 = k5, o5[s4] = null;
      break;
    }
  }
  if (!t4) {
    if (M3 = a5.ownerDocument || document, !C3) return M3.createTextNode(x4);
    t4 = M3.createElementNS(f5, C3, x4.is ? x4 : a5), l4 && (n.__m && n.__m(r4, o5), l4 = false), o5 = null;
  }
  if (C3) {
    if (a5 = "template" == C3 && t4.content || t4, o5 = "textarea" == C3 && null != x4.defaultValue ? null : o5 && d.call(a5.childNodes), !l4 && o5) for ($2 = {}, s4 = 0; s4 < t4.attributes.length; s4++) $2[(k5 = t4.attributes[s4]).name] = k5.value;
    for (s4 in $2) k5 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k5 : "children" == s4 || s4 in x4 || "value" == s4 && "defaultValue" in x4 || "checked" == s4 && "defaultChecked" in x4 || N(t4, s4, null, k5, f5);
    for (s4 in x4) k5 = x4[s4], "children" == s4 ? _6 = k5 : "dangerouslySetInnerHTML" == s4 ? h4 = k5 : "value" == s4 ? b3 = k5 : "checked" == s4 ? m5 = k5 : l4 && "function" != typeof k5 || $2[s4] === k5 || N(t4, s4, k5, $2[s4], f5);
    h4 ? (l4 || y5 && (h4.__html == y5.__html || h4.__html == t4.innerHTML) || (t4.innerHTML = h4.__html), r4.__k = []) : (y5 && (t4.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f5 && v.test(C3)) && (f5 = "http://www.w3.org/1999/xhtml"), I(a5, w(_6) ? _6 : [_6], r4, u4, i4, f5, o5, e4, o5 ? o5[0] : u4.__k && S(u4, 0), l4, c4), o5 && o5.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b3 ? t4.removeAttribute(s4) : null == b3 || b3 === t4[s4] && ("progress" != C3 || b3) || N(t4, s4, b3, $2[s4], f5), s4 = "checked", null != m5 && m5 != t4[s4] && N(t4, s4, m5, $2[s4], f5));
  } else $2 === x4 || l4 && t4.data == x4 || (t4.data = x4);
  return t4;
}
function G(t4, r4, u4, i4) {
  try {
    "function" == typeof t4 ? r4 ? r4.__x = t4(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t4(null)) : t4.current = r4;
  } catch (t5) {
    n.__e(t5, u4);
  }
}
function J(t4, r4, u4) {
  var i4, f5, o5, e4;
  if (n.unmount && n.unmount(t4), !(i4 = t4.ref) || i4.current && i4.current != t4.__e || G(i4, null, r4, t4), i4 = t4.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t5) {
      n.__e(t5, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t4.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t4.type || u4 && !t4.props.__P);
  !u4 && (i4 = t4.__c) && (i4 = i4.__z) && (f5 = B(i4, o5 = [])) && (i4 == t4.__e && o5.some(g), g(f5), g(i4)), u4 || g(t4.__e), t4.__e = t4.__c = t4.__ = null;
}
function K(n3, t4, r4) {
  return this.constructor(n3, r4);
}
function Q(t4, r4) {
  var u4, i4, f5, o5;
  n.__ && n.__(t4, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t4 && 32 & t4.__u) ? null : r4.__k, r4.__k = m($, { children: [t4] }), f5 = [], o5 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f5, i4 ? i4.__e : r4.firstChild, u4, o5), E(f5, r4.__k, o5), r4.__k.props.children = null;
}
n = { __e: function(n3, t4, r4, u4) {
  for (var i4, o5, e4; t4 = t4.__; ) if ((i4 = t4.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o5 = i4.constructor) && o5.getDerivedStateFromError) && i4.setState(o5.getDerivedStateFromError(n3)), i4.componentDidCatch && (i4.componentDidCatch(n3, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t5) {
      n3 = t5;
    }
  }
  throw f = 0, n3;
} }, t = 0, r = function(n3) {
  return null != n3 && n3.constructor === h;
}, x.prototype.setState = function(n3, t4) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n3 && (n3 = n3(_({}, r4), this.props)), n3 && (_(r4, n3), this.__v && (t4 && this.__k.push(t4), L(this)));
}, x.prototype.forceUpdate = function(n3) {
  this.__v && (this.__g |= 4, n3 && this.__h.push(n3), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n3, t4) {
  return n3.__v.__b - t4.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// vendor/preact/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n3, t4) {
  a2.__h && a2.__h(r2, n3, f2 || t4), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n3 >= u4.__.length && u4.__.push({}), u4.__[n3];
}
function d2(n3) {
  return f2 = 1, _2(G2, n3);
}
function _2(n3, u4, i4) {
  var f5 = y2(t2++, 2);
  if (f5.t = n3, !f5.__c && (f5.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n4) {
    var t4 = (f5.__N || f5.__)[0], r4 = f5.t(t4, n4);
    o2(t4, r4) || (f5.__N = [r4, f5.__[1]], f5.__c.setState({}));
  }], f5.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n4, t4, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f6 = this.props != n4;
      if (u5.__.some(function(n5) {
        n5.__N && (i5 = true, o2(n5.__[0], n5.__N[0]) || (f6 = true));
      }), c4) {
        var e4 = c4.call(this, n4, t4, r4);
        return i5 ? e4 || f6 : e4;
      }
      return !i5 || f6;
    };
  }
  return f5.__;
}
function A2(n3, u4) {
  var i4 = y2(t2++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n3, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n3, u4) {
  var i4 = y2(t2++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n3, i4.u = u4, r2.__h.push(i4));
}
function T2(n3) {
  return f2 = 5, w2(function() {
    return { current: n3 };
  }, []);
}
function w2(n3, r4) {
  var u4 = y2(t2++, 7);
  return E2(u4.__H, r4) && (u4.__ = n3(), u4.__H = r4), u4.__;
}
function P2() {
  var n3 = y2(t2++, 11);
  if (!n3.__) {
    for (var u4 = r2.__v; !u4.__m && u4.__; ) u4 = u4.__;
    var i4 = u4.__m || (u4.__m = [0, 0]);
    n3.__ = "P" + i4[0] + "-" + i4[1]++;
  }
  return n3.__;
}
function g2() {
  var n3;
  do {
    for (; n3 = e2.shift(); ) try {
      C2(n3);
    } catch (t5) {
      a2.__e(t5, { __: (n3 = n3.__P) && n3.__v });
    }
    for (; n3 = c2.shift(); ) {
      var t4 = n3.__H;
      if (n3.__P && t4) try {
        t4.__h.some(C2), t4.__h.some(D2), t4.__h = [];
      } catch (r4) {
        t4.__h = [], a2.__e(r4, n3.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n3) {
  r2 = null, v2 && v2(n3);
}, a2.__ = function(n3, t4) {
  n3 && t4.__k && t4.__k.__m && (n3.__m = t4.__k.__m), p2 && p2(n3, t4);
}, a2.__r = function(n3) {
  l2 && l2(n3), t2 = 0;
  var i4 = (r2 = n3.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t2 = 0), i4.__h = [], i4.__.some(function(n4) {
    n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n3) {
  m2 && m2(n3);
  var t4 = n3.__c;
  t4 && t4.__H && (t4.__H.__h.length && B2(c2.push(t4)), t4.__H.__.some(function(n4) {
    n4.u && (n4.__H = n4.u);
  })), u2 = r2 = null;
}, a2.__c = function(n3, t4) {
  t4.some(function(n4) {
    try {
      n4.__h.some(C2), n4.__h = n4.__h.filter(function(n5) {
        return !n5.__ || D2(n5);
      });
    } catch (t5) {
      n4.__h = [function() {
        throw t5;
      }];
    }
  }), h2 && h2(n3, t4);
}, a2.unmount = function(n3) {
  s2 && s2(n3);
  var t4, r4, u4 = n3.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n4) {
      t4 = n4;
    }
  }), u4.__H = void 0, t4 && a2.__e(t4, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n3) {
  var t4, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t4), setTimeout(n3);
  }, u4 = setTimeout(r4, 35);
  k2 && (t4 = requestAnimationFrame(r4));
}
function B2(n3) {
  1 != n3 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n3) {
  var t4 = r2, u4 = n3.__c;
  "function" == typeof u4 && (n3.__c = void 0, u4()), r2 = t4;
}
function D2(n3) {
  var t4 = r2;
  n3.__c = n3.__(), r2 = t4;
}
function E2(n3, t4) {
  return !n3 || n3.length != t4.length || t4.some(function(t5, r4) {
    return !o2(t5, n3[r4]);
  });
}
function G2(n3, t4) {
  return "function" == typeof t4 ? t4(n3) : t4;
}

// vendor/signals-core/signals-core.mjs
var t3 = /* @__PURE__ */ Symbol.for("preact-signals");
function i3() {
  if (e3 > 1) {
    e3--;
    return;
  }
  let t4, i4 = false;
  !(function() {
    let t5 = h3;
    h3 = void 0;
    while (void 0 !== t5) {
      const i5 = t5.S;
      if (i5.v === t5.v) {
        for (let n3 = i5.t; void 0 !== n3; n3 = n3.x) if (n3.i === t5.i) n3.i = i5.i;
      }
      t5 = t5.o;
    }
  })();
  while (void 0 !== r3) {
    let n3 = r3;
    r3 = void 0;
    c3++;
    while (void 0 !== n3) {
      const o5 = n3.u;
      n3.u = void 0;
      n3.f &= -3;
      if (!(8 & n3.f) && w3(n3)) try {
        n3.c();
      } catch (n4) {
        if (!i4) {
          t4 = n4;
          i4 = true;
        }
      }
      n3 = o5;
    }
  }
  c3 = 0;
  e3--;
  if (i4) throw t4;
}
function n2(t4) {
  if (e3 > 0) return t4();
  d3 = ++u3;
  e3++;
  try {
    return t4();
  } finally {
    i3();
  }
}
var o3;
var s3;
var r3;
function f3(t4) {
  const i4 = o3, n3 = s3;
  o3 = void 0;
  s3 = void 0;
  try {
    return t4();
  } finally {
    o3 = i4;
    s3 = n3;
  }
}
var h3;
var e3 = 0;
var c3 = 0;
var u3 = 0;
var d3 = 0;
var v3 = 0;
function l3(t4) {
  if (void 0 === o3) return;
  let i4 = t4.n;
  if (void 0 === i4 || i4.t !== o3) {
    i4 = { i: 0, S: t4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: i4 };
    if (void 0 !== o3.s) o3.s.n = i4;
    o3.s = i4;
    t4.n = i4;
    if (32 & o3.f) t4.S(i4);
    return i4;
  } else if (-1 === i4.i) {
    i4.i = 0;
    if (void 0 !== i4.n) {
      i4.n.p = i4.p;
      if (void 0 !== i4.p) i4.p.n = i4.n;
      i4.p = o3.s;
      i4.n = void 0;
      o3.s.n = i4;
      o3.s = i4;
    }
    return i4;
  }
}
function y3(t4, i4) {
  this.v = t4;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == i4 ? void 0 : i4.watched;
  this.Z = null == i4 ? void 0 : i4.unwatched;
  this.name = null == i4 ? void 0 : i4.name;
}
y3.prototype.brand = t3;
y3.prototype.h = function() {
  return true;
};
y3.prototype.S = function(t4) {
  const i4 = this.t;
  if (i4 !== t4 && void 0 === t4.e) {
    t4.x = i4;
    this.t = t4;
    if (void 0 !== i4) i4.e = t4;
    else f3(() => {
      var t5;
      null == (t5 = this.W) || t5.call(this);
    });
  }
};
y3.prototype.U = function(t4) {
  if (void 0 !== this.t) {
    const i4 = t4.e, n3 = t4.x;
    if (void 0 !== i4) {
      i4.x = n3;
      t4.e = void 0;
    }
    if (void 0 !== n3) {
      n3.e = i4;
      t4.x = void 0;
    }
    if (t4 === this.t) {
      this.t = n3;
      if (void 0 === n3) f3(() => {
        var t5;
        null == (t5 = this.Z) || t5.call(this);
      });
    }
  }
};
y3.prototype.subscribe = function(t4) {
  return x2(() => {
    const i4 = this.value;
    f3(() => t4(i4));
  }, { name: "sub" });
};
y3.prototype.valueOf = function() {
  return this.value;
};
y3.prototype.toString = function() {
  return this.value + "";
};
y3.prototype.toJSON = function() {
  return this.value;
};
y3.prototype.peek = function() {
  return f3(() => this.value);
};
Object.defineProperty(y3.prototype, "value", { get() {
  const t4 = l3(this);
  if (void 0 !== t4) t4.i = this.i;
  return this.v;
}, set(t4) {
  if (t4 !== this.v) {
    if (c3 > 100) throw new Error("Cycle detected");
    !(function(t5) {
      if (0 !== e3 && 0 === c3) {
        if (t5.l !== d3) {
          t5.l = d3;
          h3 = { S: t5, v: t5.v, i: t5.i, o: h3 };
        }
      }
    })(this);
    this.v = t4;
    this.i++;
    v3++;
    e3++;
    try {
      for (let t5 = this.t; void 0 !== t5; t5 = t5.x) t5.t.N();
    } finally {
      i3();
    }
  }
} });
function a3(t4, i4) {
  return new y3(t4, i4);
}
function w3(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) if (i4.S.i !== i4.i || !i4.S.h() || i4.S.i !== i4.i) return true;
  return false;
}
function b(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) {
    const n3 = i4.S.n;
    if (void 0 !== n3) i4.r = n3;
    i4.S.n = i4;
    i4.i = -1;
    if (void 0 === i4.n) {
      t4.s = i4;
      break;
    }
  }
}
function _3(t4) {
  let i4, n3 = t4.s;
  while (void 0 !== n3) {
    const t5 = n3.p;
    if (-1 === n3.i) {
      n3.S.U(n3);
      if (void 0 !== t5) t5.n = n3.n;
      if (void 0 !== n3.n) n3.n.p = t5;
    } else i4 = n3;
    n3.S.n = n3.r;
    if (void 0 !== n3.r) n3.r = void 0;
    n3 = t5;
  }
  t4.s = i4;
}
function j2(t4, i4) {
  y3.call(this, void 0, i4);
  this.x = t4;
  this.s = void 0;
  this.g = v3 - 1;
  this.f = 4;
}
j2.prototype = new y3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === v3) return true;
  this.g = v3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  const t4 = o3;
  try {
    b(this);
    o3 = this;
    const t5 = this.x();
    if (16 & this.f || this.v !== t5 || 0 === this.i) {
      this.v = t5;
      this.f &= -17;
      this.i++;
    }
  } catch (t5) {
    this.v = t5;
    this.f |= 16;
    this.i++;
  }
  o3 = t4;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(t4) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (let t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.S(t5);
  }
  y3.prototype.S.call(this, t4);
};
j2.prototype.U = function(t4) {
  if (void 0 !== this.t) {
    y3.prototype.U.call(this, t4);
    if (void 0 === this.t) {
      this.f &= -33;
      for (let t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (let t4 = this.t; void 0 !== t4; t4 = t4.x) t4.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get() {
  if (1 & this.f) throw new Error("Cycle detected");
  const t4 = l3(this);
  this.h();
  if (void 0 !== t4) t4.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(t4, i4) {
  return new j2(t4, i4);
}
function p3(t4) {
  const n3 = t4.j;
  t4.j = void 0;
  if ("function" == typeof n3) {
    e3++;
    const s4 = o3;
    o3 = void 0;
    try {
      n3();
    } catch (i4) {
      t4.f &= -2;
      t4.f |= 8;
      g3(t4);
      throw i4;
    } finally {
      o3 = s4;
      i3();
    }
  }
}
function g3(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) i4.S.U(i4);
  t4.x = void 0;
  t4.s = void 0;
  p3(t4);
}
function S2(t4) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = t4;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    i3();
  }
}
function m3(t4, i4) {
  this.x = t4;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == i4 ? void 0 : i4.name;
  if (s3) s3.push(this);
}
m3.prototype.c = function() {
  const t4 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    const i4 = this.x();
    if ("function" == typeof i4) this.j = i4;
  } finally {
    t4();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b(this);
  e3++;
  const t4 = o3;
  o3 = this;
  return S2.bind(this, t4);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = r3;
    r3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(t4, i4) {
  const n3 = new m3(t4, i4);
  try {
    n3.c();
  } catch (t5) {
    n3.d();
    throw t5;
  }
  const o5 = n3.d.bind(n3);
  o5[Symbol.dispose] = o5;
  return o5;
}

// vendor/signals/signals.mjs
var d4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var p4;
var m4;
var v4;
var _4 = [];
var g4 = [];
x2(function() {
  p4 = this.N;
})();
function b2(t4, i4) {
  n[t4] = i4.bind(null, n[t4] || (() => {
  }));
}
function y4(t4) {
  if (v4) {
    const t5 = v4;
    v4 = void 0;
    t5();
  }
  v4 = t4 && t4.S();
}
function w4({ data: t4 }) {
  const i4 = useSignal(t4);
  i4.name = "ReactiveDom";
  i4.value = t4;
  const [n3, e4] = w2(() => {
    let t5 = this, n4 = this.__v;
    while (n4 = n4.__) if (n4.__c) {
      n4.__c.__$f |= 4;
      break;
    }
    const e5 = O(() => {
      let t6 = i4.value.value;
      return 0 === t6 ? 0 : true === t6 ? "" : t6 || "";
    }), f5 = O(() => !Array.isArray(e5.value) && !r(e5.value)), r4 = x2(function() {
      this.N = M;
      if (f5.value) {
        const i5 = e5.value;
        if (t5.__v && t5.__v.__e && 3 === t5.__v.__e.nodeType) t5.__v.__e.data = i5;
      }
    }), u4 = this.__$u.d;
    this.__$u.d = function() {
      r4();
      u4.call(this);
    };
    return [f5, e5];
  }, []);
  return n3.value ? e4.peek() : e4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(y3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get() {
  const t4 = this;
  return { data: { get value() {
    return t4.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", (t4, i4) => {
  y4();
  m4 = void 0;
  if ("string" == typeof i4.type) {
    let t5, n3 = i4.props;
    for (let e4 in n3) {
      if ("children" === e4) continue;
      let o5 = n3[e4];
      if (o5 instanceof y3) {
        if (!t5) i4.__np = t5 = {};
        t5[e4] = o5;
        n3[e4] = o5.peek();
      }
    }
  }
  t4(i4);
});
b2("__r", (t4, n3) => {
  t4(n3);
  if (n3.type !== $) {
    y4();
    let t5, i4 = n3.__c;
    if (i4) {
      i4.__$f &= -2;
      t5 = i4.__$u;
      if (void 0 === t5) i4.__$u = t5 = (function(t6, i5) {
        let n4;
        x2(function() {
          n4 = this;
        }, { name: i5 });
        n4.c = t6;
        return n4;
      })(/* @__PURE__ */ (function(t6) {
        return function() {
          var i5;
          if (d4) null == (i5 = this.y) || i5.call(this);
          t6.__$f |= 1;
          t6.setState({});
        };
      })(i4), "function" == typeof n3.type ? n3.type.displayName || n3.type.name : "");
    }
    m4 = i4;
    y4(t5);
  }
});
b2("__e", (t4, i4, n3, e4) => {
  y4();
  m4 = void 0;
  t4(i4, n3, e4);
});
b2("diffed", (t4, i4) => {
  y4();
  m4 = void 0;
  let n3;
  if ("string" == typeof i4.type && (n3 = i4.__e)) {
    let t5 = i4.__np, e4 = i4.props, o5 = n3.U;
    if (o5) for (let i5 in o5) {
      let n4 = o5[i5];
      if (!(void 0 === n4 || t5 && i5 in t5)) {
        n4.d();
        o5[i5] = void 0;
      }
    }
    if (t5) {
      if (!o5) {
        o5 = {};
        n3.U = o5;
      }
      for (let i5 in t5) {
        let f5 = o5[i5], r4 = t5[i5];
        if (void 0 === f5) {
          f5 = k4(n3, i5, r4, e4);
          o5[i5] = f5;
        } else f5.o(r4, e4);
      }
    }
  }
  t4(i4);
});
function k4(t4, i4, n3, e4) {
  const o5 = i4 in t4 && void 0 === t4.ownerSVGElement, f5 = a3(n3);
  return { o: (t5, i5) => {
    f5.value = t5;
    e4 = i5;
  }, d: x2(function() {
    this.N = M;
    const n4 = f5.value.value;
    if (e4[i4] !== n4) {
      e4[i4] = n4;
      if (o5) t4[i4] = n4;
      else if (null != n4 && (false !== n4 || "-" === i4[4])) t4.setAttribute(i4, n4);
      else t4.removeAttribute(i4);
    }
  }) };
}
b2("unmount", (t4, i4) => {
  if ("string" == typeof i4.type) {
    let t5 = i4.__e;
    if (t5) {
      const i5 = t5.U;
      if (i5) {
        t5.U = void 0;
        for (let t6 in i5) {
          let n4 = i5[t6];
          if (n4) n4.d();
        }
      }
    }
    let n3 = i4.__np;
    if (n3) {
      let t6 = i4.props;
      for (let i5 in n3) t6[i5] = n3[i5];
    }
    i4.__np = void 0;
  } else {
    let t5 = i4.__c;
    if (t5) {
      t5.__$f |= 8;
      const i5 = t5.__$u;
      if (i5) {
        t5.__$u = void 0;
        i5.d();
      }
    }
  }
  t4(i4);
});
b2("__h", (t4, i4, n3, e4) => {
  if (e4 < 3) i4.__$f |= 2;
  t4(i4, n3, e4);
});
x.prototype.shouldComponentUpdate = function(t4, i4) {
  if (this.__R) return true;
  const n3 = this.__$u, e4 = n3 && void 0 !== n3.s;
  for (let t5 in i4) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    const t5 = 2 & this.__$f;
    if (!(e4 || t5 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(e4 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (let i5 in t4) if ("__source" !== i5 && t4[i5] !== this.props[i5]) return true;
  for (let i5 in this.props) if (!(i5 in t4)) return true;
  return false;
};
function useSignal(t4, i4) {
  return w2(() => a3(t4, i4), []);
}
var q2 = "undefined" == typeof requestAnimationFrame ? setTimeout : function(t4) {
  const i4 = () => {
    clearTimeout(n3);
    cancelAnimationFrame(e4);
    t4();
  }, n3 = setTimeout(i4, 35), e4 = requestAnimationFrame(i4);
};
var A3 = (t4) => {
  queueMicrotask(() => {
    queueMicrotask(t4);
  });
};
function T3() {
  n2(() => {
    let t4;
    while (t4 = _4.shift()) p4.call(t4);
  });
}
function x3() {
  if (1 === _4.push(this)) (n.requestAnimationFrame || q2)(T3);
}
function F3() {
  n2(() => {
    let t4;
    while (t4 = g4.shift()) p4.call(t4);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}
function useSignalEffect(t4, i4) {
  const n3 = T2(t4);
  n3.current = t4;
  const e4 = m4;
  A2(() => x2(function() {
    this.N = x3;
    if (!(e4 && 8 & e4.__$f)) return n3.current();
  }, i4), []);
}

// app/json.ts
function parseJson(text) {
  const exact = (_name, value, context) => typeof value === "number" && !Number.isSafeInteger(value) && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
  return JSON.parse(text, exact);
}
function formatJson(value, indent = 0) {
  const raw = JSON.rawJSON;
  const text = JSON.stringify(value, (_name, v5) => typeof v5 === "bigint" ? raw?.(String(v5)) : v5, indent);
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (c4) => c4.split("").map(unit).join(""));
}
var unit = (half) => "\\u" + half.charCodeAt(0).toString(16).padStart(4, "0");

// app/route.ts
var meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
var base = meta("base");
var documentSession = meta("session");
var place = a3(new URL(location.href));
var names = O(
  () => place.value.pathname.slice((base + "/ui/").length).split("/").filter(Boolean).map(decoded)
);
function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
function addressOf(prefix, path, query2) {
  const q3 = new URLSearchParams();
  for (const [name, value] of Object.entries(query2)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) q3.append(name, one);
  }
  const search = q3.toString();
  return `${base}${prefix}${path.map(encodeURIComponent).join("/")}${search && "?" + search}`;
}
var pageOf = (path, query2 = {}) => addressOf("/ui/", path, query2);
var isHelp = (path) => path === `${base}/ui/help` || path.startsWith(`${base}/ui/help/`);
var planPage = (station3, id, query2) => pageOf(["plans", station3, id], query2);
var runPage = (station3, id, n3) => pageOf(["plans", station3, id, "runs", String(n3)]);
function withQuery(change2) {
  const url = new URL(place.value);
  for (const [name, value] of Object.entries(change2)) {
    url.searchParams.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) url.searchParams.append(name, one);
  }
  return url.pathname + url.search;
}
var param = (name) => place.value.searchParams.get(name) ?? "";
var opened = a3(0);
function open(address, how = "page") {
  const url = new URL(address, location.href);
  if (url.href === place.value.href) return;
  if (how === "replace") history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  place.value = url;
  if (how === "page") {
    opened.value++;
    scrollTo(0, 0);
  }
}
function followLinks() {
  addEventListener("popstate", () => {
    const before = place.value.pathname;
    place.value = new URL(location.href);
    if (before !== place.value.pathname) opened.value++;
  });
  addEventListener("click", (e4) => {
    if (e4.defaultPrevented || e4.button !== 0 || e4.metaKey || e4.ctrlKey || e4.shiftKey || e4.altKey) return;
    const link = e4.target.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base + "/ui/") || isHelp(link.pathname) || link.getAttribute("href").startsWith("#")) return;
    e4.preventDefault();
    open(link.href);
  });
}

// app/rest.ts
var Refusal = class extends Error {
  constructor(status, code, message, errors) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
  status;
  code;
  errors;
};
var Unreachable = class extends Error {
};
var lost = a3(false);
var ended = a3(false);
var reconnected = a3(0);
var restPath = (path, query2 = {}) => addressOf("/api/v1/", path, query2);
async function readStream(address, signal, { began, take }) {
  let text = "";
  try {
    const response = await fetch(address, { signal, cache: "no-store" });
    if (!response.ok) throw refusal(response, await response.text());
    began();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = events.pop();
      for (const one of events) take(field(one, "event"), field(one, "data"));
    }
  } catch (e4) {
    if (signal.aborted || e4 instanceof Refusal) throw e4;
    loseConnection();
    throw new Unreachable();
  }
}
var field = (event, name) => event.split("\n").find((line) => line.startsWith(name + ": "))?.slice(name.length + 2) ?? "";
async function request(method, address, body, { ifMatch, signal } = {}) {
  const headers = {};
  if (body !== void 0) headers["Content-Type"] = "application/json";
  if (ifMatch) headers["If-Match"] = ifMatch;
  let response, text;
  open2++;
  try {
    response = await fetch(address, { method, headers, signal, body: body === void 0 ? void 0 : formatJson(body) });
    text = await response.text();
  } catch (e4) {
    if (signal?.aborted) throw e4;
    loseConnection();
    throw new Unreachable();
  } finally {
    open2--;
    settle();
  }
  heard = performance.now();
  if (!response.ok) throw refusal(response, text);
  return { status: response.status, value: text ? parseJson(text) : null, etag: response.headers.get("ETag") };
}
function refusal(response, text) {
  if (response.status === 401) ended.value = true;
  try {
    const problem = parseJson(text);
    const first2 = problem.error;
    const errors = problem.errors ?? (first2 ? [first2] : []);
    return new Refusal(response.status, first2?.code ?? "", problem.detail ?? problem.title ?? "", errors);
  } catch {
    return new Refusal(response.status, "", `${response.status} ${response.statusText}`, []);
  }
}
var asking = 0;
function loseConnection() {
  lost.value = true;
  asking ||= window.setTimeout(askAgain, 1e3);
}
async function askAgain() {
  try {
    await fetch(restPath(["session"]), { cache: "no-store" });
  } catch {
    asking = window.setTimeout(askAgain, 1e3);
    return;
  }
  asking = 0;
  back = true;
  reconnected.value++;
  settle();
}
var open2 = 0;
var back = false;
function settle() {
  if (!back || open2 > 0) return;
  back = false;
  lost.value = false;
}
var unheard = 4e3;
var heard = performance.now();
async function hearAgain() {
  if (lost.peek() || performance.now() - heard < unheard) return;
  await request("GET", restPath(["session"])).catch(() => {
  });
}

// app/prefs.ts
function preference(name, values, fallback) {
  const known = (value) => values.find((v5) => v5 === value);
  const now2 = a3(known(param(name)) ?? known(stored(name)) ?? fallback);
  x2(() => {
    const asked3 = known(place.value.searchParams.get(name));
    if (asked3) set(asked3);
  });
  function set(value) {
    now2.value = value;
    try {
      localStorage.setItem("stationmaster." + name, value);
    } catch {
    }
  }
  return {
    name,
    values,
    now: now2,
    choose(value) {
      const chosen = known(value);
      if (!chosen) return;
      set(chosen);
      if (param(name)) open(withQuery({ [name]: chosen }), "replace");
    }
  };
}
function stored(name) {
  try {
    return localStorage.getItem("stationmaster." + name);
  } catch {
    return null;
  }
}
var ofDocument = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
var lang = preference("lang", ["en", "zh"], ofDocument);
var theme = preference("theme", ["auto", "light", "dark"], "auto");
var tz = preference("tz", ["plan", "browser", "utc"], "plan");
var keys = preference("keys", ["on", "off"], "on");
x2(() => {
  document.documentElement.lang = lang.now.value === "zh" ? "zh-CN" : "en";
});
x2(() => {
  document.documentElement.dataset.theme = theme.now.value;
});
var hasRoom = matchMedia("(min-width: 640px)").matches;

// app/timeline-words.ts
var timelineEn = {
  filter: "Filter the timeline",
  lanes: "Lanes",
  byPlan: "plan",
  picture: "Swimlanes",
  times: "Other times",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  earlier: "Earlier",
  later: "Later",
  now: "Now",
  found: (n3, span) => `${n3} runs in ${span}, `,
  live: "The page asks again every few seconds.",
  counted: (step) => `They are too many for a bar each: the darker a field is, the more of them began within its ${step}. A red edge: some failed.`,
  reading: "These are the newest runs. The others are being read.",
  incomplete: "Runs are missing here, the oldest first, because two seconds did not suffice to read all. A shorter time or one station takes less.",
  none: "No run meets this time.",
  noneFits: (filters9) => `No run that fits ${filters9} meets this time.`,
  nobody: "no worker",
  others: "all others",
  due: (length) => `${length} after it was due`,
  attempt: (n3) => `attempt ${n3}`,
  field: (lane, n3, bad) => `${lane}: ${n3} runs, ${bad} of them failed`,
  laneColumns: ["Lane", "Runs", "Failed"],
  legend: [["hair", "due, and not yet sent"], ["hatched", "no worker has it, or no room"], ["tick", "a retry"], ["edge", "ended by a deadline"]]
};
var timelineZh = {
  filter: "筛选时间线",
  lanes: "泳道",
  byPlan: "plan",
  picture: "泳道图",
  times: "其他时间",
  zoomIn: "放大",
  zoomOut: "缩小",
  earlier: "更早",
  later: "更晚",
  now: "现在",
  found: (n3, span) => `${span} 内共 ${n3} 次执行，`,
  live: "页面每隔几秒重新查询。",
  counted: (step) => `执行过多，不逐条显示：方格越深，在其 ${step} 内开始的执行越多。红边：其中有失败。`,
  reading: "先显示最近的执行，其余正在读取。",
  incomplete: "此处缺少部分执行（最早的先缺），因为两秒内未能读完。请缩短时间或只看一个站点。",
  none: "该时段没有执行。",
  noneFits: (filters9) => `该时段没有符合 ${filters9} 的执行。`,
  nobody: "无 worker",
  others: "其余全部",
  due: (length) => `到期后 ${length}`,
  attempt: (n3) => `第 ${n3} 次尝试`,
  field: (lane, n3, bad) => `${lane}：${n3} 次执行，其中 ${bad} 次失败`,
  laneColumns: ["泳道", "执行", "失败"],
  legend: [["hair", "已到期，尚未发出"], ["hatched", "没有 worker 或没有余量"], ["tick", "重试"], ["edge", "因超过期限而结束"]]
};

// app/en-jobs.ts
var jobs = {
  filter: "Filter HTTP jobs",
  columns: ["Name", "Target", "Schedule", "Status", "Next due", "Last status code"],
  none: "There is no HTTP job yet. Create makes one here; this does it with curl:",
  noneFits: (filters9) => `No HTTP job fits ${filters9}.`,
  gone: "There is no HTTP job of this name. Runs of one that was deleted stay for a while.",
  createNew: "Create an HTTP job",
  created: (name) => `${name} is created.`,
  enable: "Enable",
  enabled: (name) => `${name} is enabled.`,
  disable: "Disable",
  disableAbout: "It is not due until Enable. Calls under way finish, and what falls due meanwhile is not caught up.",
  disabled: (name) => `${name} is disabled.`,
  change: "Change",
  delete: "Delete",
  deleteAbout: "The job is gone at once, and calls under way are cancelled. Its runs stay readable, and its name is free again.",
  deleted: (name) => `${name} is deleted.`,
  lastAnswer: "Last answer",
  noAnswer: "No run has ended yet.",
  statusCode: "Status code",
  body: "Body",
  more: "Retries, limits and more",
  testCall: "Test call",
  testing: "Calling…",
  fields: {
    name: "Name",
    description: "Description",
    target_url: "Target",
    cron_expr: "Cron expression",
    timezone: "Zone",
    http_method: "Method",
    headers_json: "Headers",
    body_template: "Body",
    timeout_seconds: "Timeout in seconds",
    success_status: "Success",
    retry_policy_json: "Retry policy",
    overlap_action: "Overlap",
    failure_action: "After a failure",
    catch_up_mode: "After an outage",
    max_concurrency: "Calls at once",
    concurrency_policy: "At that limit",
    exec_type: "Answer",
    callback_timeout_sec: "Seconds until the callback",
    status: "Status"
  }
};

// app/en-periodic.ts
var periodic = {
  filter: "Filter periodic tasks",
  columns: ["Name", "Status", "Type", "Schedule", "Log", "Changed"],
  none: "There is no periodic task yet. The first command makes one; the second has it triggered:",
  noneFits: (filters9) => `No periodic task fits ${filters9}.`,
  gone: "There is no periodic task of this name.",
  made: "Made",
  changed: "Changed",
  put: "Put",
  putNew: "Put a periodic task",
  putAbout: "The task keeps its status. Moved to another type, it leaves behind what is under way there.",
  newAbout: "It is triggered when it is put online. Without an id, one is made.",
  wasPut: (id) => `${id} is put.`,
  online: "Online",
  offline: "Offline",
  is: (id, status) => `${id} is ${status}.`,
  delete: "Delete",
  deleteAbout: "The task is gone at once, with its log, and what it triggered is cancelled.",
  deleted: (id) => `${id} is deleted.`,
  log: "Trigger log",
  logColumns: ["Triggered", "Result", "Took", "Error"],
  noLog: "Nothing is logged. Tasks with log trigger_log or trans_log have rows here when they were triggered.",
  fields: { id: "Id", type: "Type", cron_expressions: "Cron expression", timezone: "Zone", log: "Log", tenant_id: "Tenant", category: "Category", creator: "Creator", ext: "Extension" }
};
var callbacks = {
  about: "Callbacks that their addresses have not taken. Each is tried again after 1, 2, 4 and so on up to 60 seconds, until it is taken or given up.",
  filter: "Filter callbacks",
  columns: ["Name", "Not delivered", "Last answer", "Tries", "Next try"],
  none: "Every callback is delivered. The same list on the command line:",
  noneFits: (filters9) => `No callback that is not delivered fits ${filters9}.`,
  tryNow: "Try now",
  tried: (name) => `${name} is tried now.`,
  giveUp: "Give up",
  giveUpAbout: (n3) => `Not delivered are ${n3}. They are dropped, and their addresses never learn of these results. The results stay.`,
  givenUp: (name) => `${name} is given up.`
};

// app/queue-words.ts
var queuesEn = {
  columns: ["Name", "Status", "Length", "Bytes", "Locked", "Due", "Last error"],
  filter: "Filter queues",
  none: "No queue holds anything. The first command puts something into one; the second shows what is in it.",
  noneFits: "No queue that holds something fits the filters.",
  holdsNothing: "This queue holds nothing. A push makes it anew.",
  unmerged: "A key that begins with - is never merged: each item under it is a queue of its own, and its plan's page shows it.",
  to: "Goes to",
  nowhere: "nowhere: workers get from it",
  length: "Length",
  bytes: "Bytes",
  locked: "Locked",
  due: "Due",
  lockEnds: "Lock ends",
  notified: "Workers notified",
  last: "Last hand-over",
  notYet: "none yet",
  itsRuns: "all of them",
  errors: "Errors in a row",
  lastError: "Last error",
  plan: "Plan",
  first: "First items",
  more: (n3) => `${n3} more behind them.`,
  unread: "The first items are just leaving the queue.",
  data: "Data",
  key: "Key",
  task: "Item, as JSON",
  taskHint: 'Any value, such as {"to": 7} or "hello".',
  dataHint: "An object that is merged into the queue's.",
  ontime: "Handed over at",
  ontimeHint: "Empty: as the queue stands; a new one at once.",
  update: "Of a queue that has a time",
  updateHint: "once: its time stays; always: it becomes this one.",
  method: "Method",
  service: "Service",
  serviceHint: "A URL that gets the items, with the method.",
  station: "Station",
  stationHint: "In place of a service: its workers are told to get them. Without either, workers get when they like.",
  abandon: "Deleted when nobody takes it for",
  abandonHint: "Seconds from when it is due. Empty: never.",
  random: "Name of the lock",
  randomHint: "The random that get was given.",
  number: "How many of the first",
  numberHint: "Empty: all that are locked. 0: none, the lock ends.",
  again: "Handed over next at",
  againHint: "Empty: when the lock would have ended.",
  pushTo: "Push to a queue",
  push: "Push",
  pushed: (name, n3) => `Pushed: ${name} holds ${n3}.`,
  retry: "Retry",
  retried: (name) => `${name} is handed over now.`,
  complete: "Complete",
  completeAbout: "What is locked is done: it is taken out of the queue, and the lock ends.",
  completed: (name, n3) => `Completed: ${name} holds ${n3}.`,
  release: "Release",
  releaseAbout: "The lock ends, and its items stay in the queue.",
  released: (name) => `The lock of ${name} has ended.`,
  delete: "Delete",
  deletes: (n3) => `Items that are deleted, also those that are being handed over: ${n3}`,
  deleted: (name, n3) => `${name} is deleted, with ${n3} items.`
};
var queuesZh = {
  columns: ["名称", "状态", "长度", "大小", "已锁定", "到期", "最近的错误"],
  filter: "筛选队列",
  none: "没有存有内容的队列。第一条命令向队列推入一项，第二条查看其内容。",
  noneFits: "没有存有内容的队列符合筛选条件。",
  holdsNothing: "这个队列是空的。推入一项会重新建立它。",
  unmerged: "以 - 开头的键从不合并：其下每一项自成一个队列，可在它的计划页面查看。",
  to: "送往",
  nowhere: "无：由 worker 自行领取",
  length: "长度",
  bytes: "大小",
  locked: "已锁定",
  due: "到期",
  lockEnds: "锁的结束时间",
  notified: "通知 worker 的次数",
  last: "最近一次移交",
  notYet: "尚无",
  itsRuns: "全部移交",
  errors: "连续错误数",
  lastError: "最近的错误",
  plan: "计划",
  first: "最前的项",
  more: (n3) => `其后还有 ${n3} 项。`,
  unread: "最前的项正在离开队列。",
  data: "数据",
  key: "键",
  task: "项（JSON）",
  taskHint: '任意值，例如 {"to": 7} 或 "hello"。',
  dataHint: "合并到队列数据中的对象。",
  ontime: "移交时间",
  ontimeHint: "留空：队列原有的时间；新队列则立即移交。",
  update: "队列已有时间时",
  updateHint: "once：保持原来的时间；always：改为这个时间。",
  method: "方法",
  service: "服务",
  serviceHint: "用该方法接收各项的 URL。",
  station: "站点",
  stationHint: "代替服务：通知其 worker 来领取。两者都不填时由 worker 自行领取。",
  abandon: "无人领取多久后删除",
  abandonHint: "从到期起的秒数。留空：永不。",
  random: "锁的名称",
  randomHint: "get 所用的 random。",
  number: "最前的多少项",
  numberHint: "留空：所有已锁定的。0：一项也不移除，只结束锁。",
  again: "下次移交时间",
  againHint: "留空：锁原定的结束时间。",
  pushTo: "推入队列",
  push: "推入",
  pushed: (name, n3) => `已推入：${name} 有 ${n3} 项。`,
  retry: "重试",
  retried: (name) => `${name} 现在移交。`,
  complete: "完成",
  completeAbout: "已锁定的项已处理：从队列中移除，锁随之结束。",
  completed: (name, n3) => `已完成：${name} 有 ${n3} 项。`,
  release: "释放",
  releaseAbout: "锁结束，其中的项留在队列里。",
  released: (name) => `${name} 的锁已结束。`,
  delete: "删除",
  deletes: (n3) => `将删除的项（包括正在移交的）：${n3}`,
  deleted: (name, n3) => `已删除 ${name}，共 ${n3} 项。`
};

// app/many-words.ts
var manyEn = {
  region: "Selection",
  select: (name) => `Select ${name}`,
  page: "Select all on this page",
  all: (n3) => `Select all ${n3} that match`,
  allRuns: "Select the plans of all that match",
  chosen: (n3) => `${n3} selected`,
  chosenRuns: (runs, n3, plans) => `${runs} selected, of ${n3 === 1 ? "1 plan" : `${plans} plans`}`,
  allChosen: (n3) => `All ${n3} that match are selected`,
  allOfRuns: (n3, plans) => `All that match are selected: ${n3 === 1 ? "1 plan" : `${plans} plans`}`,
  none: "Select none",
  title: (verb, n3, text) => `${verb} ${n3 === 1 ? "1 plan" : `${text} plans`}`,
  cancel: { name: "Cancel runs", of: (n3, text) => `Cancel runs of ${n3 === 1 ? "1 plan" : `${text} plans`}`, about: "All executions that are under way or wait end as cancelled, and their workers are told to stop." },
  number: (n3) => `Type ${n3} to remove them`,
  otherNumber: (n3) => `The number is not ${n3}; nothing was done.`,
  progress: (verb, done, of) => `${verb}: ${done} of ${of}`,
  ended: (verb, done, refused, left) => `${verb}: ${done} done, ${refused} refused${left === "0" ? "" : `, ${left} left as they were`}.`,
  stop: "Stop",
  close: "Close this",
  refusals: "Refusals",
  columns: ["Plan", "Why"],
  leftOut: (n3) => `and ${n3} more`
};
var manyZh = {
  region: "选择",
  select: (name) => `选择 ${name}`,
  page: "选择本页全部",
  all: (n3) => `选择全部 ${n3} 个匹配项`,
  allRuns: "选择全部匹配执行的计划",
  chosen: (n3) => `已选择 ${n3} 个`,
  chosenRuns: (runs, _6, plans) => `已选择 ${runs} 次执行，共 ${plans} 个计划`,
  allChosen: (n3) => `已选择全部 ${n3} 个匹配项`,
  allOfRuns: (_6, plans) => `已选择全部匹配项：${plans} 个计划`,
  none: "取消选择",
  title: (verb, _6, text) => `${verb} ${text} 个计划`,
  cancel: { name: "取消执行", of: (_6, text) => `取消执行：${text} 个计划`, about: "正在执行或等待的全部以 cancelled 结束，并通知 worker 停止。" },
  number: (n3) => `输入 ${n3} 以确认删除`,
  otherNumber: (n3) => `输入的数字不是 ${n3}；未做任何操作。`,
  progress: (verb, done, of) => `${verb}：${done} / ${of}`,
  ended: (verb, done, refused, left) => `${verb}：完成 ${done}，被拒绝 ${refused}${left === "0" ? "" : `，未处理 ${left}`}。`,
  stop: "停止",
  close: "关闭此项",
  refusals: "被拒绝的计划",
  columns: ["计划", "原因"],
  leftOut: (n3) => `另有 ${n3} 个`
};

// app/task-words.ts
var tasksEn = {
  columns: ["Name", "Status", "Errors", "Changed", "Creator", "Tenant", "Last error"],
  filter: "Filter tasks",
  history: "Finished ones",
  historyAbout: "Those that are over, the newest first.",
  from: "Ended from",
  to: "Ended before",
  none: "No task waits for anybody. The first command makes a type of tasks, the second submits one, the third fetches it as an agent does.",
  noneFits: "No task fits the filters.",
  notAll: "No task was found so far; not all were looked at.",
  noneFinished: "No task that has ended is kept.",
  noSuch: "There is no task of this name; if there was one, it is no longer kept.",
  types: "Task types",
  type: "Type",
  id: "Id",
  idHint: "Letters, digits, _ and -. Empty: one is made.",
  start: "Not before",
  ext: "Ext, as JSON",
  extHint: "Any value; its agent gets it.",
  created: "Submitted",
  changed: "Changed",
  deadline: "Deadline of its agent",
  errors: "Errors",
  remark: "Remark",
  result: "Result",
  took: "Seconds of the last execution",
  plan: "Plan",
  submitNew: "Submit a task",
  submit: "Submit",
  submitted: (name) => `${name} is submitted.`,
  process: "Process",
  processAbout: "A person has seen to it: it is over, and no agent gets it.",
  processed: (name) => `${name} is processed.`,
  retry: "Retry",
  retried: (name) => `${name} is tried again, with no error counted.`,
  cancel: "Cancel",
  cancelAbout: "It is over. An agent that has it is told to stop.",
  cancelled: (name) => `${name} is cancelled.`,
  typeColumns: ["Name", "What it is", "Category", "Kind", "Retry", "A person decides"],
  noTypes: "There is no type of tasks yet. A type says how its tasks are tried again, and when a person decides. This makes one:",
  noSuchType: (code) => `There is no type ${code}.`,
  code: "Code",
  codeHint: "The name of its station, such as transcode.",
  title: "What it is",
  put: "Put",
  putNew: "Put a task type",
  putAbout: "What is left empty has its default.",
  wasPut: (name) => `${name} is put.`,
  delete: "Delete",
  deleteAbout: "A type is deleted only when all its tasks are finished. Finished ones stay readable.",
  wasDeleted: (name) => `${name} is deleted.`,
  kind: "How agents get tasks",
  kindHint: "pull: they fetch; api: they subscribe.",
  timeout: "Timeout in minutes",
  timeoutSeconds: "Timeout in seconds, which wins",
  onSuccess: "Call on success",
  onError: "Call on an error",
  method: "Method",
  signed: "How calls are signed",
  ak: "Access key",
  sk: "Secret",
  skHint: "It is never shown. Empty: the one that is stored stays.",
  callbacks: "Callbacks",
  tasksOf: "Its tasks",
  secrets: "Secrets of HTTP calls",
  secretColumns: ["Name", "Sent to", "Tenant"],
  secretsAbout: "A plan of station http names one as {{secret:NAME}}. A value is taken, and never shown.",
  noSecrets: "No secret is stored.",
  putSecret: "Put a secret",
  name: "Name",
  value: "Value",
  hosts: "Hosts",
  hostsHint: "To whom it may be sent, with commas: host or host:port, which means https.",
  usedBy: (n3) => `Plans that make calls with it, which are refused from then on: ${n3}`
};
var tasksZh = {
  columns: ["名称", "状态", "错误数", "更新时间", "创建者", "租户", "最近的错误"],
  filter: "筛选任务",
  history: "已结束的",
  historyAbout: "已结束的任务，最新的在前。",
  from: "结束时间不早于",
  to: "结束时间早于",
  none: "没有等待处理的任务。第一条命令建立任务类型，第二条提交任务，第三条像代理一样领取它。",
  noneFits: "没有任务符合筛选条件。",
  notAll: "目前没有找到任务，尚未查完全部。",
  noneFinished: "没有保留已结束的任务。",
  noSuch: "没有这个名称的任务；如果有过，也不再保留。",
  types: "任务类型",
  type: "类型",
  id: "编号",
  idHint: "字母、数字、_ 和 -。留空：自动生成。",
  start: "最早开始时间",
  ext: "附加数据（JSON）",
  extHint: "任意值，交给执行它的代理。",
  created: "提交时间",
  changed: "更新时间",
  deadline: "代理的截止时间",
  errors: "错误数",
  remark: "备注",
  result: "结果",
  took: "最近一次执行的秒数",
  plan: "计划",
  submitNew: "提交任务",
  submit: "提交",
  submitted: (name) => `已提交 ${name}。`,
  process: "处理",
  processAbout: "已由人处理：任务结束，不再交给代理。",
  processed: (name) => `${name} 已处理。`,
  retry: "重试",
  retried: (name) => `${name} 将重新尝试，错误计数归零。`,
  cancel: "取消",
  cancelAbout: "任务结束；正在执行它的代理会收到停止通知。",
  cancelled: (name) => `${name} 已取消。`,
  typeColumns: ["名称", "说明", "类别", "领取方式", "重试", "由人决定"],
  noTypes: "还没有任务类型。类型规定任务如何重试，以及何时由人决定。下面的命令建立一个：",
  noSuchType: (code) => `没有类型 ${code}。`,
  code: "代码",
  codeHint: "对应站点的名称，例如 transcode。",
  title: "说明",
  put: "保存",
  putNew: "保存任务类型",
  putAbout: "留空的字段使用默认值。",
  wasPut: (name) => `已保存 ${name}。`,
  delete: "删除",
  deleteAbout: "只有所有任务都结束后才能删除类型。已结束的任务仍可查看。",
  wasDeleted: (name) => `已删除 ${name}。`,
  kind: "代理如何得到任务",
  kindHint: "pull：领取；api：订阅。",
  timeout: "超时（分钟）",
  timeoutSeconds: "超时（秒），优先",
  onSuccess: "成功时调用",
  onError: "出错时调用",
  method: "方法",
  signed: "调用的签名方式",
  ak: "访问密钥",
  sk: "密钥",
  skHint: "从不显示。留空：保留已存储的密钥。",
  callbacks: "回调",
  tasksOf: "它的任务",
  secrets: "HTTP 调用的密钥",
  secretColumns: ["名称", "可发往", "租户"],
  secretsAbout: "站点 http 的计划用 {{secret:NAME}} 引用密钥。值只能写入，从不显示。",
  noSecrets: "没有存储密钥。",
  putSecret: "保存密钥",
  name: "名称",
  value: "值",
  hosts: "主机",
  hostsHint: "可以发往的主机，用逗号分隔：host 或 host:port，均表示 https。",
  usedBy: (n3) => `用它调用的计划（此后将被拒绝）：${n3}`
};
var taskStatusesZh = {
  New: "新建",
  Executing: "执行中",
  Error: "出错",
  Pending: "待人处理",
  Success: "成功",
  Completed: "已完成",
  Failure: "失败",
  ManuallyProcessed: "已人工处理",
  Cancelled: "已取消"
};

// app/en.ts
var en = {
  skipToContent: "Skip to content",
  main: "Main",
  menu: "Menu",
  search: "Search",
  language: "Language",
  theme: "Theme",
  themes: { auto: "Auto", light: "Light", dark: "Dark" },
  timeZone: "Time zone",
  zones: { plan: "Of the plan", browser: "Of the browser", utc: "UTC" },
  pauseUpdates: "Pause updates",
  logIn: "Log in",
  logOut: "Log out",
  token: "Token",
  wrongToken: "No such token. It stands in the file that --http-token-file names.",
  aboutTokens: "A token stands in the file that the server was given with --http-token-file. Its role is reader or operator.",
  insecure: (host) => `The browser keeps no session here, because ${host} is not this machine and the page came without TLS. Open the console in one of these ways:`,
  insecureTls: "By https://, through a proxy that speaks TLS, with the server started as",
  insecureTunnel: "Through a tunnel to the server's own machine:",
  sessionEnded: "The session has ended; what is shown may be old.",
  connectionLost: "Connection lost. The page goes on by itself as soon as the server answers.",
  back: "Back",
  any: "any",
  all: "all",
  byName: "name",
  moreFilters: "More filters",
  paging: "Pages of the list",
  nextPage: "Next page",
  previousPage: "Previous page",
  fresh: (n3) => `${n3} new`,
  copy: "Copy",
  copied: "Copied.",
  changedMeanwhile: "The changes are against the plan as it is now; look at them, and save again.",
  copyThis: (name) => `Copy ${name ?? "the command"}`,
  notFound: "Not found",
  noSuchPage: "There is no page at this address.",
  onlyOperators: "Your token's role is reader. An operator can create and change plans.",
  pages: { overview: "Overview", plans: "Plans", runs: "Runs", timeline: "Timeline", calendar: "Calendar", stations: "Stations", workers: "Workers", jobs: "HTTP jobs", tasks: "Tasks", periodic: "Periodic tasks", queues: "Queues", callbacks: "Callbacks", cluster: "Cluster", live: "Live", help: "Help" },
  newPlan: "New plan",
  filterPlans: "Filter plans",
  filter: {
    text: "Text",
    station: "Station",
    status: "Status",
    waits: "Waits for",
    plan_type: "Type",
    labels: "Labels",
    order: "Order",
    state: "State"
  },
  columns: {
    plans: ["Name", "Status", "Schedule", "Next due", "Last runs", "Labels"],
    runs: ["Run", "State", "Reason", "Due", "Started", "Took", "Worker"],
    next: ["Due", "Local time", "Notes"],
    open: ["Run", "Attempt", "State", "Worker", "Deadline"],
    plan: "Plan",
    stations: ["Name", "Kind", "Workers", "Under way", "Waiting", "Last hour"],
    act: "Act",
    due: ["Plan", "Due"],
    trouble: ["What", "Plan", "Since"],
    partitions: ["Name", "Leader", "Epoch", "Plans", "Overdue", "Journal", "Checkpoint"],
    lateness: ["Lateness", "Executions"],
    held: ["Run", "Plan", "Attempt", "State", "Since", "Deadline"],
    workers: ["Name", "Stations", "Version", "Last seen", "Under way"],
    nodes: ["Name", "Leads", "Version", "Since", "Last seen"],
    streams: ["Name", "Kind", "Messages", "Bytes", "Limit", "Replicas"],
    live: ["Plan", "Run", "What", "Reason", "Time", "Worker"],
    time: "Time",
    clocks: ["Time", "Plans", "Note"],
    inCell: ["Plan", "First", "Occurrences"],
    changes: ["Field", "Before", "After"],
    attempts: ["Run", "Attempt", "State", "Started", "Took", "Worker"]
  },
  waitsFor: (what) => `waits for ${what}`,
  noPlanFits: (filters9) => `No plan fits ${filters9}.`,
  noPlans: "There is no plan yet. One of these creates one; the third line is a worker that executes it.",
  firstPlan: "Fill in the form of a first plan",
  withoutFilters: "Show all",
  withoutFilter: (filter) => `Plans without ${filter}`,
  plansLookedAt: (n3) => `${n3} plans were looked at; those behind them are not searched yet.`,
  goOn: "Search on",
  lastRuns: (words) => `Last runs, the oldest first: ${words}`,
  // The overview.
  overview: {
    underWay: "Executions under way",
    lastHour: "Results of the last hour",
    skippedLastHour: "Skipped in the last hour",
    none: "None.",
    nextDue: "Next due",
    nothingDue: "No plan is due.",
    trouble: "Trouble",
    noTrouble: "Nothing is in trouble.",
    kinds: { stopped: "stopped", no_worker: "no_worker", overdue: "overdue", late: "late", callback: "callback" },
    partitions: "Partitions",
    noLeader: "no leader",
    lateness: "Lateness",
    latenessAbout: "How late the scheduler began executions, in the last hour.",
    nothingBegan: "No execution began in the last hour.",
    below: (length) => `below ${length}`,
    from: (length) => `${length} and more`,
    longest: "Longest",
    latenessInWords: (n3, classes2) => `Lateness of ${n3} executions: ${classes2}`,
    throughput: "Throughput",
    span: "Time",
    spans: { "1s": "last minute, by second", "1m": "last hour, by minute", "1h": "last week, by hour" },
    resultsByState: "Results by state",
    skipsByReason: "Skipped occurrences by reason",
    nothingHappened: "No result in this time.",
    marks: "Other events",
    chart: (name, from, to, totals) => `${name} from ${from} to ${to}: ${totals || "0"}`,
    skippedBy: (reason) => `skipped ${reason}`
  },
  // Workers and the cluster.
  workers: {
    filter: "Filter workers",
    nobodyServes: (station3) => `No worker serves ${station3}.`,
    begin: "No worker is here. This starts one; programs do it with the library.",
    gone: "No worker of this name is here: it has said nothing for half a minute.",
    host: "Machine",
    library: "Library",
    since: "Since",
    lastMinute: "Executions that ended in the last minute",
    executions: "Executions",
    idle: "It has nothing in hand.",
    more: "It has more executions than are shown here."
  },
  cluster: {
    nodes: "Nodes",
    streams: "Streams",
    stops: "stops",
    kinds: { stream: "stream", bucket: "bucket" },
    sameClock: (node, margin) => `The clocks of ${node} and of this browser agree within ${margin}.`,
    clockAhead: (node, by, margin) => `The clock of ${node} is ${by} ahead of this browser's, give or take ${margin}.`,
    clockBehind: (node, by, margin) => `The clock of ${node} is ${by} behind this browser's, give or take ${margin}.`
  },
  // The runs of all plans.
  allRuns: {
    worker: "Worker",
    longer: "Longer than (ms)",
    from: "From",
    until: "Until",
    trouble: "Trouble",
    troubleAbout: "What somebody should look at: failures, final errors and timeouts, and occurrences that no scheduler led.",
    lookedAt: (n3) => `${n3} runs were looked at in two seconds; older ones are not searched yet.`,
    none: "No run has ended yet. The same list on the command line:",
    noneFits: (filters9) => `No run that is kept fits ${filters9}.`,
    noTrouble: "Nothing needs attention: no run that is kept has failed for good, and none was missed."
  },
  // The page Live.
  live: {
    filter: "Filter what is shown",
    plan: "Plan's id",
    kind: "Kind",
    happened: "In the last second",
    results: "Results by state",
    events: "Events by kind",
    stations: "Stations with the most results",
    rate: (results, events) => `In the last second: results ${results}, events ${events}.`,
    since: (n3, left) => `Since the page follows: ${n3} shown, ${left} left out.`,
    leftOut: (n3) => `${n3} more in this second are left out`,
    gap: "Here is a gap: the page did not follow for a while.",
    missed: "Here is a gap: more happened than the server could count.",
    nothing: "Nothing has happened since the page follows. This makes something happen:",
    nothingFits: (filters9) => `Nothing that fits ${filters9} has happened since the page follows.`,
    notFollowing: "The page does not follow: updates are paused.",
    pause: "Pause",
    clear: "Clear",
    cleared: "The list is empty.",
    download: "Download NDJSON",
    downloaded: (n3) => `${n3} lines are downloaded.`
  },
  timeline: timelineEn,
  // The page Calendar.
  calendar: {
    step: "Cells",
    byHour: "1h",
    day: "Day",
    week: "Week from",
    found: (n3, plans, zone) => `${n3} occurrences of ${plans} plans, by the clock of ${zone}.`,
    sampled: "They are estimated from a part of the plans.",
    change: "clock change",
    changes: "Clock changes",
    times: "Other times",
    now: "Now",
    later: "Later",
    chosen: "Due in",
    inCell: (n3) => `Occurrences: ${n3}`,
    plans: "Plans that are due",
    nothing: "Nothing is due then.",
    leftOut: (n3) => `${n3} more plans are due then; a filter shows which.`,
    close: "Close the list"
  },
  queues: queuesEn,
  tasks: tasksEn,
  // Stations.
  stations: {
    kind: "Kind",
    neverPut: "never put",
    shared: "counted with others",
    none: "No station is put, and none has a plan. The first command limits one; the second is a worker of it.",
    sparkline: (n3) => `Results in each of the last ${n3} minutes`,
    inWords: (least, median, most3) => `min ${least}, median ${median}, max ${most3} a minute`,
    defaultsHold: "This station was never put: it is of kind api, with the defaults.",
    underWay: "Under way",
    waiting: "Waiting",
    oldestWait: "Longest wait since",
    lastHour: "Results of the last hour",
    byMinute: "Results by minute",
    inLine: "Waiting for room",
    put: "Put",
    putNew: "Put a station",
    putAbout: "What is left empty has its default. Plans of the station have its policies where they have none of their own.",
    wasPut: (name) => `${name} is put.`,
    delete: "Delete",
    drops: "Its record is dropped, and the defaults hold:",
    noPlans: "It has no plans.",
    plansGoOn: (n3) => `Its plans (${n3}) go on, with the defaults.`,
    kindFalls: (kind) => `Without its record it is no longer of kind ${kind}, but api: one worker gets each execution.`,
    outdated: (name, put2) => `${name} was changed meanwhile, as the table shows; nothing is done. ${put2} does what you changed upon that.`,
    wasDeleted: (name) => `The record of ${name} is deleted.`,
    test: "Send a test",
    testAbout: "One execution is sent at once. It is not tried again.",
    wasSent: (name) => `An execution is sent to ${name}.`
  },
  jobs,
  periodic,
  callbacks,
  // A plan.
  actions: "Actions",
  edit: "Edit",
  copyPlan: "Copy",
  runOnce: "Run once",
  makeIt: "Create a plan of this name",
  parts: "Parts",
  tabs: { runs: "Runs", upcoming: "Upcoming", definition: "Definition", events: "Events" },
  nextDue: "Next due",
  pausedSince: "Paused since",
  skipsLeft: "Next occurrences to skip",
  executed: "Executed",
  skipped: "Skipped",
  openExecutions: "Open executions",
  nextOccurrences: "Next occurrences",
  nothingComes: (reason) => `Nothing of it will run as things stand: ${reason}.`,
  nothingToCome: "Nothing is to come.",
  filterRuns: "Filter runs",
  noRunFits: "No run has this state.",
  noSuchPlan: "There is no plan of this name; if there was one, it has closed.",
  noRunsKept: "No runs of this name are kept.",
  noRuns: "It has not run yet. Trigger runs it now; the same list on the command line:",
  occurrences: (n3) => `${n3} occurrences`,
  why: "Why",
  rule: "Rule",
  ruleFrom: (from) => `(${from})`,
  ranInto: "It ran into",
  lastOk: "Last success",
  // The verbs.
  verbs: {
    pause: { name: "Pause", about: "Nothing is due until Resume. Executions under way finish.", done: (n3) => `${n3} is paused.` },
    resume: { name: "Resume", about: "", done: (n3) => `${n3} is resumed.` },
    trigger: { name: "Trigger", about: "", done: (n3) => `${n3} is triggered.` },
    skip: { name: "Skip", about: "The next occurrences do not run. -1: all, until 0 is asked for.", done: (n3) => `The next occurrences of ${n3} will be skipped as asked.` },
    reset: { name: "Reset", about: "The occurrence that stopped the plan is tried again at once, with no error counted.", done: (n3) => `${n3} is reset.` },
    close: { name: "Close", about: "There is no further occurrence. The plan is gone when what is under way has finished.", done: (n3) => `${n3} is closed.` },
    remove: { name: "Remove", about: "The plan is gone at once. Its runs stay readable.", done: (n3) => `${n3} is removed.` }
  },
  triggered: (name, n3) => `${name} is triggered: run ${n3}.`,
  many: manyEn,
  howManySkips: "How many",
  note: "Note",
  by: "By",
  nothingUnderWay: "Nothing is under way.",
  willBeCancelled: (n3, workers) => `${n3 === 1 ? "1 execution is" : `${n3} executions are`} cancelled: ${workers}.`,
  noWorkerYet: "no worker has begun it",
  willFinish: (n3, workers) => `${n3 === 1 ? "1 execution finishes" : `${n3} executions finish`} first: ${workers}.`,
  cancelRun: "Cancel run",
  cancelAbout: "It ends as cancelled, and its worker is told to stop.",
  cancelled: (n3) => `Run ${n3} is cancelled.`,
  triggerAgain: "Trigger again",
  // A run.
  run: (n3) => `run ${n3}`,
  runTitle: (plan, n3) => `${plan} run ${n3}`,
  steps: { all: "Steps", due: "Due", dispatched: "Dispatched", ended: "Ended" },
  attempts: "Attempts",
  attempt: "Attempt",
  occurrence: "Occurrence",
  byHand: "none: it was triggered",
  worker: "Worker",
  key: "Idempotency key",
  reason: "Reason",
  triggerOf: "Trigger",
  error: "Error",
  content: "Content",
  votes: "Votes",
  // The form.
  editTitle: (name) => `Edit ${name}`,
  changeTitle: (name) => `Change ${name}`,
  create: "Create",
  review: "Review",
  save: "Save",
  changes: "Changes",
  noChanges: "Nothing is changed.",
  createTitle: (name) => `Create ${name}`,
  foreseen: "What would happen",
  wouldBeNew: (status) => `A new plan, ${status}.`,
  dropped: "none: the default holds",
  notDueUntilResume: "It would not be due until Resume.",
  noLongerDue: "It would not be due any more.",
  newTime: "new",
  lostTime: "no longer",
  created: (name) => `${name} is created.`,
  saved: (name) => `${name} is changed.`,
  preview: "Preview",
  request: "Request",
  byDefault: "default",
  notJson: 'This is not JSON. A text has double quotes; a list is [1, "two"].',
  inZone: (zone) => `In ${zone}.`,
  groups: {
    what: "What",
    when: "When",
    clock: "Days, limits of time and clock changes",
    order: "When the one before is not done",
    retries: "When it fails",
    workers: "Workers",
    about: "Names and notes"
  },
  fields: {
    station: "Station",
    plan_id: "Id",
    command: "Command",
    messages: "Messages",
    description: "Description",
    plan_type: "Type",
    cron: "Cron expression",
    plan_value: "Every, or which day",
    plan_time: "Time",
    timezone: "Zone",
    plan_repet: "Occurrences",
    jitter: "Jitter",
    paused: "Paused",
    start_at: "Not before",
    end_at: "Not after",
    exclude: "Not on calendars",
    only: "Only on calendars",
    excluded: "What is excluded",
    "clock_change.gap": "Time that does not exist",
    "clock_change.overlap": "Time that exists twice",
    overlap: "Overlap",
    failure: "After a failure",
    max_concurrency: "Executions at once",
    concurrency: "At that limit",
    catch_up: "After an outage",
    no_keep: "Run all, one after the other",
    "retry.strategy": "Retry",
    "retry.interval": "Delay",
    "retry.sequence": "Delays",
    "retry.max_interval": "Longest delay",
    "retry.max_error_count": "Retries",
    "retry.jitter": "Jitter of the delay",
    "retry.need_manual": "A person decides at the end",
    exec_timeout: "Timeout of the work",
    start_timeout: "Timeout of the first reply",
    on_unknown: "When nobody knows whether it ran",
    on_failure: "When a worker gives up",
    worker_ids: "Worker ids",
    worker_count: "Workers each",
    priority: "Priority",
    voters: "Voters",
    quorum: "Quorum",
    ping_interval_ms: "Ping interval",
    ping_timeout_ms: "Ping timeout",
    max_unexpected_retries: "Retries of vanished workers",
    unexpected_retry_delay_ms: "Delay of those",
    labels: "Labels",
    category: "Category",
    tenant_id: "Tenant",
    caller: "Caller",
    creator: "Creator",
    request_id: "Request id",
    log: "Log",
    ext: "Extension"
  },
  hints: {
    station: "Where it runs, such as mail or eu.mail.",
    plan_id: "Letters, digits, _ and -. Empty: one is made.",
    command: "What the worker is to do.",
    messages: 'A list in JSON that the worker gets, such as ["hello", {"to": 7}].',
    plan_type: "Empty, or none: once, at once.",
    cron: "Minute, hour, day of month, month, day of week: 0 9 * * mon-fri. Or @daily, @every 90s.",
    plan_value: "Units between occurrences. week: 0 (Sunday) to 6; month: 1 to 31, 0 is the last day.",
    plan_repet: "How many; -1 for ever.",
    timezone: "Of the times that are typed here; empty: UTC.",
    jitter: "Seconds.",
    exclude: "Ids, with commas.",
    only: "Ids, with commas.",
    overlap: "When an earlier occurrence is not settled. Default: skip.",
    failure: "Default: run_new.",
    max_concurrency: "0: no limit.",
    concurrency: "Default: queue.",
    catch_up: "Of what fell due while no scheduler acted.",
    no_keep: "Late and waiting occurrences, too.",
    "retry.strategy": "Default: exponential, 1 s doubling to 60 s, without a limit.",
    "retry.interval": "Seconds.",
    "retry.sequence": "Seconds, with commas.",
    "retry.max_interval": "Seconds.",
    "retry.max_error_count": "Empty: no limit.",
    "retry.jitter": "A share, 0 to 1.",
    exec_timeout: "Seconds of a worker's silence; 0: none.",
    start_timeout: "Seconds; 0: none.",
    on_unknown: "Default: redo, at least once.",
    on_failure: "Default: halt, until a person resets it.",
    worker_ids: "With commas.",
    worker_count: "pull: how many different ones.",
    priority: "pull: 0 to 9, 9 first.",
    voters: "vote: how many answers end it.",
    quorum: "vote: how many must be ok.",
    ping_interval_ms: "Milliseconds.",
    ping_timeout_ms: "Milliseconds.",
    unexpected_retry_delay_ms: "Milliseconds.",
    labels: 'An object in JSON, such as {"team": "core"}.',
    log: "What is kept of its runs. Default: full.",
    ext: "Any value in JSON."
  },
  // The search.
  searchHint: "The beginning of station/id, or exactly that name.",
  searchTexts: "Search names, descriptions and commands",
  nothingFound: "No plan's name begins so. Enter searches in descriptions and commands, too.",
  searched: "Nothing found in names, descriptions and commands.",
  searching: (n3, of) => `Looked at ${n3} of ${of} plans…`,
  found: (n3) => `${n3} found`,
  shortcuts: {
    title: "Keys",
    use: "Use single keys",
    list: [
      ["/", "Go to the filter"],
      ["Ctrl K", "Search"],
      ["g o", "Go to the overview"],
      ["g p", "Go to the plans"],
      ["g r", "Go to the runs"],
      ["g t", "Go to the timeline"],
      ["g c", "Go to the calendar"],
      ["g s", "Go to the stations"],
      ["g w", "Go to the workers"],
      ["g q", "Go to the queues"],
      ["g l", "Go to what happens live"],
      ["j  k", "Next and previous row"],
      ["Enter", "Open the row"],
      ["x", "Select the row"],
      ["e", "Edit the plan"],
      ["p", "Pause or resume the plan"],
      ["t", "Trigger the plan"],
      [".", "Pause updates"],
      ["?", "This list"]
    ]
  },
  words: {}
};

// app/zh-jobs.ts
var jobs2 = {
  filter: "筛选 HTTP 任务",
  columns: ["名称", "目标", "时间表", "状态", "下次到期", "最近状态码"],
  none: "还没有 HTTP 任务。点“创建”即可新建；也可以用 curl：",
  noneFits: (filters9) => `没有符合 ${filters9} 的 HTTP 任务。`,
  gone: "没有这个名称的 HTTP 任务。已删除任务的执行记录会保留一段时间。",
  createNew: "创建 HTTP 任务",
  created: (name) => `已创建 ${name}。`,
  enable: "启用",
  enabled: (name) => `已启用 ${name}。`,
  disable: "停用",
  disableAbout: "在启用之前不再到期。进行中的调用会执行完，期间错过的不会补跑。",
  disabled: (name) => `已停用 ${name}。`,
  change: "修改",
  delete: "删除",
  deleteAbout: "任务立即删除，进行中的调用会被取消。执行记录仍可查看，名称可以再次使用。",
  deleted: (name) => `已删除 ${name}。`,
  lastAnswer: "最近应答",
  noAnswer: "还没有结束的执行。",
  statusCode: "状态码",
  body: "应答正文",
  more: "重试、限制及其他",
  testCall: "测试调用",
  testing: "正在调用…",
  fields: {
    name: "名称",
    description: "描述",
    target_url: "目标",
    cron_expr: "cron 表达式",
    timezone: "时区",
    http_method: "方法",
    headers_json: "请求头",
    body_template: "请求正文",
    timeout_seconds: "超时（秒）",
    success_status: "视为成功",
    retry_policy_json: "重试策略",
    overlap_action: "重叠时",
    failure_action: "失败之后",
    catch_up_mode: "停机之后",
    max_concurrency: "同时调用数",
    concurrency_policy: "达到上限时",
    exec_type: "应答方式",
    callback_timeout_sec: "等待回调（秒）",
    status: "状态"
  }
};

// app/zh-periodic.ts
var periodic2 = {
  filter: "筛选周期任务",
  columns: ["名称", "状态", "类型", "时间表", "日志", "修改时间"],
  none: "还没有周期任务。第一条命令新建，第二条使其上线：",
  noneFits: (filters9) => `没有符合 ${filters9} 的周期任务。`,
  gone: "没有这个名称的周期任务。",
  made: "创建时间",
  changed: "修改时间",
  put: "保存",
  putNew: "新建周期任务",
  putAbout: "任务保持原状态。改到其他类型时，原类型下进行中的触发留在原处。",
  newAbout: "上线之后才会触发。不填 id 时自动生成。",
  wasPut: (id) => `已保存 ${id}。`,
  online: "上线",
  offline: "下线",
  is: (id, status) => `${id} 现在是 ${status}。`,
  delete: "删除",
  deleteAbout: "任务及其日志立即删除，它触发的执行会被取消。",
  deleted: (id) => `已删除 ${id}。`,
  log: "触发日志",
  logColumns: ["触发时间", "结果", "耗时", "错误"],
  noLog: "没有日志。log 为 trigger_log 或 trans_log 的任务触发后会在这里出现。",
  fields: { id: "Id", type: "类型", cron_expressions: "cron 表达式", timezone: "时区", log: "日志", tenant_id: "租户", category: "类别", creator: "创建者", ext: "扩展" }
};
var callbacks2 = {
  about: "对方地址尚未接收的回调。每条在 1、2、4 秒（依此类推，最多 60 秒）之后重试，直到被接收或放弃。",
  filter: "筛选回调",
  columns: ["名称", "未送达", "最近应答", "尝试次数", "下次尝试"],
  none: "所有回调都已送达。命令行中的同一列表：",
  noneFits: (filters9) => `没有符合 ${filters9} 的未送达回调。`,
  tryNow: "立即重试",
  tried: (name) => `正在重试 ${name}。`,
  giveUp: "放弃",
  giveUpAbout: (n3) => `未送达的有 ${n3} 条。它们会被丢弃，对方不会得知这些结果；结果本身保留。`,
  givenUp: (name) => `已放弃 ${name}。`
};

// app/zh.ts
var zh = {
  skipToContent: "跳到正文",
  main: "主导航",
  menu: "菜单",
  search: "搜索",
  language: "语言",
  theme: "主题",
  themes: { auto: "自动", light: "浅色", dark: "深色" },
  timeZone: "时区",
  zones: { plan: "计划的时区", browser: "浏览器的时区", utc: "UTC" },
  pauseUpdates: "暂停刷新",
  logIn: "登录",
  logOut: "退出",
  token: "令牌",
  wrongToken: "没有这个令牌。令牌写在 --http-token-file 指定的文件里。",
  aboutTokens: "令牌写在启动服务时 --http-token-file 指定的文件里，角色为 reader 或 operator。",
  insecure: (host) => `浏览器在这里不保存会话，因为 ${host} 不是本机，而页面没有经过 TLS。请用以下任一方式打开控制台：`,
  insecureTls: "通过支持 TLS 的代理用 https:// 打开，并这样启动服务：",
  insecureTunnel: "通过到服务所在机器的隧道：",
  sessionEnded: "会话已结束，当前显示的内容可能已过时。",
  connectionLost: "Connection lost：连接已断开，服务恢复应答后页面会自动继续。",
  back: "返回",
  any: "不限",
  all: "全部",
  byName: "名称",
  moreFilters: "更多筛选条件",
  paging: "列表分页",
  nextPage: "下一页",
  previousPage: "上一页",
  fresh: (n3) => `${n3} 条新记录`,
  copy: "复制",
  copied: "已复制。",
  changedMeanwhile: "下面的修改以计划现在的内容为准；请核对后再次保存。",
  copyThis: (name) => `复制${name ? ` ${name}` : "命令"}`,
  notFound: "未找到",
  noSuchPage: "这个地址没有页面。",
  onlyOperators: "你的令牌角色是 reader；创建和修改计划需要 operator。",
  pages: { overview: "概览", plans: "计划", runs: "执行记录", timeline: "时间线", calendar: "日历", stations: "站点", workers: "worker", jobs: "HTTP 任务", tasks: "任务", periodic: "周期任务", queues: "队列", callbacks: "回调", cluster: "集群", live: "实时", help: "帮助" },
  newPlan: "新建计划",
  filterPlans: "筛选计划",
  filter: {
    text: "文本",
    station: "站点",
    status: "状态",
    waits: "等待原因",
    plan_type: "类型",
    labels: "标签",
    order: "排序",
    state: "状态"
  },
  columns: {
    plans: ["名称", "状态", "时间表", "下次到期", "最近执行", "标签"],
    runs: ["执行", "状态", "原因", "到期", "开始", "耗时", "worker"],
    next: ["到期", "当地时间", "说明"],
    open: ["执行", "尝试", "状态", "worker", "截止时间"],
    plan: "计划",
    stations: ["名称", "类型", "worker 数", "进行中", "等待中", "最近一小时"],
    act: "操作",
    due: ["计划", "到期"],
    trouble: ["异常", "计划", "开始时间"],
    partitions: ["名称", "leader", "epoch", "计划数", "逾期", "日志序号", "检查点"],
    lateness: ["延迟", "执行数"],
    clocks: ["时间", "计划数", "说明"],
    inCell: ["计划", "首次", "次数"],
    live: ["计划", "执行", "内容", "原因", "时间", "worker"],
    held: ["执行", "计划", "尝试", "状态", "开始", "截止时间"],
    workers: ["名称", "站点", "版本", "最近上报", "进行中"],
    nodes: ["名称", "领导的分区", "版本", "启动时间", "最近心跳"],
    streams: ["名称", "类型", "消息数", "大小", "上限", "副本数"],
    time: "时间",
    changes: ["字段", "修改前", "修改后"],
    attempts: ["执行", "尝试", "状态", "开始", "耗时", "worker"]
  },
  waitsFor: (what) => `等待 ${what}`,
  noPlanFits: (filters9) => `没有计划符合 ${filters9}。`,
  noPlans: "还没有计划。下面任一命令可以创建一个；第三行启动执行它的 worker。",
  firstPlan: "填写第一个计划的表单",
  withoutFilters: "显示全部",
  withoutFilter: (filter) => `去掉 ${filter} 后的计划`,
  plansLookedAt: (n3) => `已查看 ${n3} 个计划，其后的尚未搜索。`,
  goOn: "继续搜索",
  lastRuns: (words) => `最近执行（从旧到新）：${words}`,
  overview: {
    underWay: "进行中的执行",
    lastHour: "最近一小时的结果",
    skippedLastHour: "最近一小时跳过的",
    none: "无。",
    nextDue: "即将到期",
    nothingDue: "没有要到期的计划。",
    trouble: "异常",
    noTrouble: "没有异常。",
    kinds: { stopped: "已停止 stopped", no_worker: "没有 worker no_worker", overdue: "逾期 overdue", late: "延迟 late", callback: "回调 callback" },
    partitions: "分区",
    noLeader: "没有 leader",
    lateness: "调度延迟",
    latenessAbout: "最近一小时，因调度器而推迟开始执行的时间。",
    nothingBegan: "最近一小时没有开始的执行。",
    below: (length) => `小于 ${length}`,
    from: (length) => `${length} 及以上`,
    longest: "最长",
    latenessInWords: (n3, classes2) => `${n3} 次执行的调度延迟：${classes2}`,
    throughput: "吞吐量",
    span: "时间范围",
    spans: { "1s": "最近一分钟，按秒", "1m": "最近一小时，按分钟", "1h": "最近一周，按小时" },
    resultsByState: "按状态统计的结果",
    skipsByReason: "按原因统计的跳过次数",
    nothingHappened: "这段时间没有结果。",
    marks: "其他事件",
    chart: (name, from, to, totals) => `${name}，${from} 至 ${to}：${totals || "0"}`,
    skippedBy: (reason) => `已跳过 ${reason}`
  },
  workers: {
    filter: "筛选 worker",
    nobodyServes: (station3) => `没有 worker 服务于站点 ${station3}。`,
    begin: "目前没有 worker。下面的命令启动一个；程序可使用客户端库。",
    gone: "没有这个名称的 worker：它已有半分钟没有上报。",
    host: "主机",
    library: "客户端库",
    since: "启动时间",
    lastMinute: "最近一分钟结束的执行",
    executions: "执行",
    idle: "它目前没有在处理的工作。",
    more: "它的执行数超过此处显示的数量。"
  },
  cluster: {
    nodes: "节点",
    streams: "流",
    stops: "正在停止",
    kinds: { stream: "流 stream", bucket: "键值桶 bucket" },
    sameClock: (node, margin) => `${node} 与浏览器的时钟一致（误差 ${margin} 以内）。`,
    clockAhead: (node, by, margin) => `${node} 的时钟比浏览器快 ${by}（误差 ${margin} 以内）。`,
    clockBehind: (node, by, margin) => `${node} 的时钟比浏览器慢 ${by}（误差 ${margin} 以内）。`
  },
  allRuns: {
    worker: "worker",
    longer: "耗时超过（毫秒）",
    from: "起始时间",
    until: "截止时间",
    trouble: "异常",
    troubleAbout: "需要关注的执行：failure、不再重试的错误和超时，以及因调度器不在任而错过的各次。",
    lookedAt: (n3) => `两秒内查看了 ${n3} 条执行记录，更早的尚未搜索。`,
    none: "还没有已结束的执行。在命令行查看同一列表：",
    noneFits: (filters9) => `保留的执行记录中没有符合 ${filters9} 的。`,
    noTrouble: "没有需要关注的：保留的执行记录中没有最终失败的，也没有错过的。"
  },
  live: {
    filter: "筛选显示内容",
    plan: "计划编号",
    kind: "种类",
    happened: "最近一秒",
    results: "结果，按状态",
    events: "事件，按种类",
    stations: "结果最多的站点",
    rate: (results, events) => `最近一秒：结果 ${results}，事件 ${events}。`,
    since: (n3, left) => `页面开始跟踪以来：显示 ${n3} 条，略去 ${left} 条。`,
    leftOut: (n3) => `这一秒另有 ${n3} 条被略去`,
    gap: "此处有间断：页面有一段时间没有跟踪。",
    missed: "此处有间断：发生得太多，服务器来不及计数。",
    nothing: "页面开始跟踪以来没有发生任何事。下面的命令会让它发生：",
    nothingFits: (filters9) => `页面开始跟踪以来没有符合 ${filters9} 的内容。`,
    notFollowing: "页面没有跟踪：刷新已暂停。",
    pause: "暂停",
    clear: "清空",
    cleared: "列表已清空。",
    download: "下载 NDJSON",
    downloaded: (n3) => `已下载 ${n3} 行。`
  },
  timeline: timelineZh,
  calendar: {
    step: "单元格",
    byHour: "1h",
    day: "日期",
    week: "周起始",
    found: (n3, plans, zone) => `${plans} 个计划，共 ${n3} 次，按 ${zone} 的时钟。`,
    sampled: "数字由部分计划估算。",
    change: "时钟变更",
    changes: "时钟变更",
    times: "其他时间",
    now: "现在",
    later: "之后",
    chosen: "到期时段",
    inCell: (n3) => `次数：${n3}`,
    plans: "到期的计划",
    nothing: "该时段没有到期。",
    leftOut: (n3) => `该时段还有 ${n3} 个到期的计划；请用筛选查看。`,
    close: "关闭列表"
  },
  queues: queuesZh,
  tasks: tasksZh,
  stations: {
    kind: "类型",
    neverPut: "未登记",
    shared: "与其他站点合并统计",
    none: "没有登记过的站点，也没有站点有计划。第一条命令给站点设上限，第二条启动它的 worker。",
    sparkline: (n3) => `最近 ${n3} 分钟每分钟的结果数`,
    inWords: (least, median, most3) => `每分钟最少 ${least}，中位数 ${median}，最多 ${most3}`,
    defaultsHold: "这个站点没有登记过：类型为 api，使用默认值。",
    underWay: "进行中",
    waiting: "等待中",
    oldestWait: "最早开始等待",
    lastHour: "最近一小时的结果",
    byMinute: "每分钟的结果数",
    inLine: "等待空位",
    put: "登记",
    putNew: "登记站点",
    putAbout: "留空的使用默认值。站点的策略对没有自己策略的计划生效。",
    wasPut: (name) => `${name} 已登记。`,
    delete: "删除",
    drops: "将删除它的登记，恢复默认值：",
    noPlans: "它没有计划。",
    plansGoOn: (n3) => `它的 ${n3} 个计划继续运行，使用默认值。`,
    kindFalls: (kind) => `没有登记后，它不再是 ${kind} 类型，而是 api：每次执行只有一个 worker 得到。`,
    outdated: (name, put2) => `${name} 期间已被修改，见下表；未做任何更改。再按“${put2}”，会在其基础上应用你的修改。`,
    wasDeleted: (name) => `${name} 的登记已删除。`,
    test: "发送测试执行",
    testAbout: "立即发送一次执行，失败后不重试。",
    wasSent: (name) => `已向 ${name} 发送一次执行。`
  },
  jobs: jobs2,
  periodic: periodic2,
  callbacks: callbacks2,
  actions: "操作",
  edit: "编辑",
  copyPlan: "复制",
  runOnce: "单次执行",
  makeIt: "用这个名称创建计划",
  parts: "各部分",
  tabs: { runs: "执行记录", upcoming: "即将到来", definition: "定义", events: "事件" },
  nextDue: "下次到期",
  pausedSince: "暂停自",
  skipsLeft: "将跳过的次数",
  executed: "已执行",
  skipped: "已跳过",
  openExecutions: "未结束的执行",
  nextOccurrences: "后续各次",
  nothingComes: (reason) => `照目前情况不会再执行：${reason}。`,
  nothingToCome: "以后没有要到期的执行。",
  filterRuns: "筛选执行记录",
  noRunFits: "没有这种状态的执行。",
  noSuchPlan: "没有这个名称的计划；如果曾经有过，它已关闭。",
  noRunsKept: "没有保留这个名称的执行记录。",
  noRuns: "尚未执行过。“立即触发”会马上执行一次；在命令行查看同一列表：",
  occurrences: (n3) => `${n3} 次`,
  why: "为什么",
  rule: "规则",
  ruleFrom: (from) => `（${from}）`,
  ranInto: "与之冲突",
  lastOk: "最近一次成功",
  verbs: {
    pause: { name: "暂停", about: "恢复之前不再到期；正在执行的会执行完。", done: (n3) => `${n3} 已暂停。` },
    resume: { name: "恢复", about: "", done: (n3) => `${n3} 已恢复。` },
    trigger: { name: "立即触发", about: "", done: (n3) => `${n3} 已触发。` },
    skip: { name: "跳过", about: "接下来的若干次不执行。-1：全部跳过，直到设为 0。", done: (n3) => `${n3} 接下来的若干次将按要求跳过。` },
    reset: { name: "重置", about: "让计划停下的那一次立即重试，错误计数清零。", done: (n3) => `${n3} 已重置。` },
    close: { name: "关闭", about: "以后没有下一次；正在执行的结束后计划消失。", done: (n3) => `${n3} 已关闭。` },
    remove: { name: "删除", about: "计划立即消失；执行记录仍可查看。", done: (n3) => `${n3} 已删除。` }
  },
  triggered: (name, n3) => `${name} 已触发：执行 ${n3}。`,
  many: manyZh,
  howManySkips: "次数",
  note: "备注",
  by: "操作人",
  nothingUnderWay: "没有正在执行的。",
  willBeCancelled: (n3, workers) => `将取消 ${n3} 个执行：${workers}。`,
  noWorkerYet: "还没有 worker 开始",
  willFinish: (n3, workers) => `先等 ${n3} 个执行结束：${workers}。`,
  cancelRun: "取消执行",
  cancelAbout: "它以 cancelled 结束，并通知 worker 停止。",
  cancelled: (n3) => `执行 ${n3} 已取消。`,
  triggerAgain: "再次触发",
  run: (n3) => `执行 ${n3}`,
  runTitle: (plan, n3) => `${plan} 执行 ${n3}`,
  steps: { all: "步骤", due: "到期", dispatched: "派发", ended: "结束" },
  attempts: "各次尝试",
  attempt: "尝试",
  occurrence: "第几次",
  byHand: "无：手动触发",
  worker: "worker",
  key: "幂等键",
  reason: "原因",
  triggerOf: "触发方式",
  error: "错误",
  content: "内容",
  votes: "投票",
  editTitle: (name) => `编辑 ${name}`,
  changeTitle: (name) => `修改 ${name}`,
  create: "创建",
  review: "检查修改",
  save: "保存",
  changes: "修改",
  noChanges: "没有修改。",
  createTitle: (name) => `创建 ${name}`,
  foreseen: "将会发生什么",
  wouldBeNew: (status) => `新计划，状态 ${status}。`,
  dropped: "无：使用默认值",
  notDueUntilResume: "恢复之前不再到期。",
  noLongerDue: "之后将不再到期。",
  newTime: "新增",
  lostTime: "不再执行",
  created: (name) => `${name} 已创建。`,
  saved: (name) => `${name} 已修改。`,
  preview: "预览",
  request: "请求",
  byDefault: "默认",
  notJson: '这不是 JSON。文本要用双引号；列表写作 [1, "two"]。',
  inZone: (zone) => `按 ${zone} 时间。`,
  groups: {
    what: "做什么",
    when: "什么时候",
    clock: "日期、期限与时钟调整",
    order: "上一次还没结束时",
    retries: "失败时",
    workers: "worker",
    about: "名称与备注"
  },
  fields: {
    station: "站点",
    plan_id: "编号",
    command: "命令",
    messages: "消息",
    description: "说明",
    plan_type: "类型",
    cron: "Cron 表达式",
    plan_value: "间隔或哪一天",
    plan_time: "时间",
    timezone: "时区",
    plan_repet: "次数",
    jitter: "随机延迟",
    paused: "暂停",
    start_at: "不早于",
    end_at: "不晚于",
    exclude: "排除日历",
    only: "限定日历",
    excluded: "被排除时",
    "clock_change.gap": "不存在的时间",
    "clock_change.overlap": "出现两次的时间",
    overlap: "重叠",
    failure: "失败之后",
    max_concurrency: "同时执行数",
    concurrency: "达到上限时",
    catch_up: "中断之后",
    no_keep: "全部依次执行",
    "retry.strategy": "重试",
    "retry.interval": "间隔",
    "retry.sequence": "间隔序列",
    "retry.max_interval": "最长间隔",
    "retry.max_error_count": "重试次数",
    "retry.jitter": "间隔的随机比例",
    "retry.need_manual": "最后由人决定",
    exec_timeout: "执行超时",
    start_timeout: "首次应答超时",
    on_unknown: "不知是否执行过时",
    on_failure: "worker 放弃时",
    worker_ids: "worker 编号",
    worker_count: "每次的 worker 数",
    priority: "优先级",
    voters: "投票者数",
    quorum: "通过票数",
    ping_interval_ms: "心跳间隔",
    ping_timeout_ms: "心跳超时",
    max_unexpected_retries: "worker 消失后的重试",
    unexpected_retry_delay_ms: "其间隔",
    labels: "标签",
    category: "分类",
    tenant_id: "租户",
    caller: "调用方",
    creator: "创建人",
    request_id: "请求编号",
    log: "日志",
    ext: "扩展"
  },
  hints: {
    station: "在哪里执行，例如 mail 或 eu.mail。",
    plan_id: "字母、数字、_ 和 -。留空则自动生成。",
    command: "worker 要做什么。",
    messages: '交给 worker 的 JSON 列表，例如 ["hello", {"to": 7}]。',
    plan_type: "留空或 none：立即执行一次。",
    cron: "分 时 日 月 周：0 9 * * mon-fri。也可用 @daily、@every 90s。",
    plan_value: "两次之间的单位数。week：0（周日）到 6；month：1 到 31，0 为最后一天。",
    plan_repet: "多少次；-1 为一直。",
    timezone: "此处所填时间的时区；留空：UTC。",
    jitter: "秒。",
    exclude: "编号，用逗号分隔。",
    only: "编号，用逗号分隔。",
    overlap: "前一次还未了结时。默认 skip。",
    failure: "默认 run_new。",
    max_concurrency: "0：不限。",
    concurrency: "默认 queue。",
    catch_up: "没有调度器在任期间到期的各次。",
    no_keep: "迟到和排队的各次也执行。",
    "retry.strategy": "默认 exponential：1 秒起翻倍到 60 秒，不限次数。",
    "retry.interval": "秒。",
    "retry.sequence": "秒，用逗号分隔。",
    "retry.max_interval": "秒。",
    "retry.max_error_count": "留空：不限。",
    "retry.jitter": "比例，0 到 1。",
    exec_timeout: "worker 沉默的秒数；0：不限。",
    start_timeout: "秒；0：不限。",
    on_unknown: "默认 redo，至少一次。",
    on_failure: "默认 halt，直到有人重置。",
    worker_ids: "用逗号分隔。",
    worker_count: "pull：需要几个不同的 worker。",
    priority: "pull：0 到 9，9 最先。",
    voters: "vote：几个应答后结束。",
    quorum: "vote：几个必须为 ok。",
    ping_interval_ms: "毫秒。",
    ping_timeout_ms: "毫秒。",
    unexpected_retry_delay_ms: "毫秒。",
    labels: 'JSON 对象，例如 {"team": "core"}。',
    log: "保留哪些执行记录。默认 full。",
    ext: "任意 JSON 值。"
  },
  searchHint: "输入 station/id 的开头，或完整名称。",
  searchTexts: "在名称、说明和命令中搜索",
  nothingFound: "没有以此开头的计划。按回车在说明和命令中搜索。",
  searched: "没有找到：名称、描述和命令都已搜索。",
  searching: (n3, of) => `已查看 ${n3} / ${of} 个计划…`,
  found: (n3) => `找到 ${n3} 个`,
  shortcuts: {
    title: "快捷键",
    use: "使用单键快捷键",
    list: [
      ["/", "转到筛选"],
      ["Ctrl K", "搜索"],
      ["g o", "转到概览"],
      ["g p", "转到计划"],
      ["g r", "转到执行记录"],
      ["g t", "转到时间线"],
      ["g c", "转到日历"],
      ["g s", "转到站点"],
      ["g w", "转到 worker"],
      ["g q", "转到队列"],
      ["g l", "转到实时"],
      ["j  k", "下一行、上一行"],
      ["Enter", "打开该行"],
      ["x", "选择该行"],
      ["e", "编辑计划"],
      ["p", "暂停或恢复计划"],
      ["t", "触发计划"],
      [".", "暂停刷新"],
      ["?", "本列表"]
    ]
  },
  words: {
    ok: "成功",
    error: "错误",
    failure: "失败",
    timeout: "超时",
    skipped: "已跳过",
    cancelled: "已取消",
    running: "执行中",
    waiting: "等待中",
    dispatched: "已派发",
    ENABLED: "已启用",
    DISABLED: "已停用",
    new: "新建",
    online: "已上线",
    offline: "已下线",
    success: "成功",
    queued: "排队",
    executing: "执行中",
    retrying: "重试中",
    paused: "已暂停",
    pending: "待处理",
    plan_error: "计划出错",
    closed: "已关闭",
    ...taskStatusesZh
  }
};

// app/say.ts
var say = O(() => lang.now.value === "zh" ? zh : en);
var announced = a3("");
function announce(text) {
  announced.value = "";
  setTimeout(() => announced.value = text);
}
var count = (n3) => new Intl.NumberFormat(lang.now.value).format(n3);

// app/session.ts
var current = a3(documentSession ? JSON.parse(documentSession) : void 0);
function compare(time, asked3, answered2) {
  const within = Math.max(0, answered2 - asked3) / 2;
  return { by: time ? Date.parse(time) - asked3 - within : 0, within };
}
function ofTheDocument() {
  const document2 = performance.getEntriesByType("navigation")[0];
  const { requestStart = 0, responseStart = 0 } = document2 ?? {};
  return compare(current.peek()?.time, performance.timeOrigin + requestStart, performance.timeOrigin + responseStart);
}
var clock = a3(ofTheDocument());
var session = {
  current,
  /** Whether there are verbs for this person. */
  operates: O(() => current.value?.role === "operator" && !current.value.read_only),
  /** The server's clock beside the browser's. */
  clock,
  /** Asks for the session when the document had none, because it was opened from another site. */
  async find() {
    if (current.value) return;
    try {
      const asked3 = Date.now();
      current.value = (await request("GET", restPath(["session"]))).value;
      clock.value = compare(current.value.time, asked3, Date.now());
    } catch {
      ended.value = false;
    }
  },
  async logIn(token) {
    const asked3 = Date.now();
    current.value = (await request("POST", restPath(["session"]), { token })).value;
    clock.value = compare(current.value.time, asked3, Date.now());
    ended.value = false;
  },
  async logOut() {
    await request("DELETE", restPath(["session"]));
    current.value = void 0;
    open(pageOf(["login"]));
  }
};
var loginPage = () => pageOf(["login"], { next: place.value.pathname + place.value.search });

// app/updates.ts
var paused = a3(false);
var tick = a3(Date.now());
setInterval(() => document.visibilityState === "visible" && (tick.value = Date.now()), 1e3);
var updates = {
  paused,
  toggle: () => paused.value = !paused.value,
  /** Whether a page may ask again now. */
  due: () => !paused.peek() && document.visibilityState === "visible"
};
var now = O(() => tick.value + session.clock.value.by);

// vendor/preact/jsxRuntime.mjs
var f4 = /* @__PURE__ */ Symbol.for("pv");
var o4 = 0;
function a4(t4, e4, n3, u4, a5, i4) {
  e4 || (e4 = {});
  var c4, l4, p5 = e4;
  if ("ref" in p5 && "function" != typeof t4) for (l4 in p5 = {}, e4) "ref" == l4 ? c4 = e4[l4] : p5[l4] = e4[l4];
  var s4 = { type: t4, props: p5, key: n3, ref: c4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
  return (a5 || i4) && (s4.__source = a5, s4.__self = i4), n.vnode && n.vnode(s4), s4;
}

// app/time.tsx
var clocks = /* @__PURE__ */ new Map();
function clockOf(zone) {
  let clock3 = clocks.get(zone);
  if (!clock3) {
    clock3 = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      timeZoneName: "longOffset",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit"
    });
    clocks.set(zone, clock3);
  }
  return clock3;
}
var browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
function shownZone(ofPlan = "UTC") {
  switch (tz.now.value) {
    case "browser":
      return browserZone;
    case "utc":
      return "UTC";
    default:
      return knownZone(ofPlan) ? ofPlan : "UTC";
  }
}
function knownZone(zone) {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}
function localOf(instant3, zone) {
  const part = {};
  for (const { type, value } of clockOf(zone).formatToParts(new Date(instant3))) part[type] = value;
  const offset = part.timeZoneName.replace("GMT", "") || "+00:00";
  return { date: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}:${part.second}`, offset };
}
function instantOf(local, zone) {
  const asUtc = Date.parse(local + "Z");
  if (Number.isNaN(asUtc)) return local;
  const offset = (at2) => Date.parse(stampOf(localOf(at2, zone)) + "Z") - Math.floor(at2 / 1e3) * 1e3;
  const before = offset(asUtc - 864e5);
  const first2 = asUtc - before;
  return new Date(offset(first2) === before ? first2 : asUtc - offset(first2)).toISOString().replace(".000Z", "Z");
}
var stampOf = (l4) => `${l4.date}T${l4.time}`;
var localInput = (instant3, zone) => Number.isNaN(Date.parse(instant3)) ? "" : stampOf(localOf(instant3, zone));
var steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
function relative(instant3) {
  const seconds = Math.round((Date.parse(instant3) - now.value) / 1e3);
  const [unit2, size2] = steps.find(([, s4]) => Math.abs(seconds) >= s4) ?? steps[3];
  return new Intl.RelativeTimeFormat(lang.now.value, { numeric: "auto", style: "short" }).format(Math.trunc(seconds / size2), unit2);
}
function When({ at: at2, zone, bare }) {
  if (!at2) return null;
  const l4 = localOf(at2, shownZone(zone));
  return /* @__PURE__ */ a4("span", { class: "when", children: [
    /* @__PURE__ */ a4("time", { dateTime: utc(at2), children: [
      l4.date,
      " ",
      l4.time,
      " ",
      /* @__PURE__ */ a4("span", { class: "offset", children: l4.offset })
    ] }),
    !bare && /* @__PURE__ */ a4(Ago, { at: at2 })
  ] });
}
var utc = (at2) => at2.endsWith("Z") ? at2 : new Date(at2).toISOString();
function Ago({ at: at2 }) {
  return /* @__PURE__ */ a4("small", { class: "ago", children: relative(at2) });
}
function duration(milliseconds) {
  const number = (value, digits = 0) => new Intl.NumberFormat(lang.now.value, { maximumFractionDigits: digits }).format(value);
  const s4 = milliseconds / 1e3;
  if (s4 < 1) return `${number(milliseconds, milliseconds < 10 ? 1 : 0)} ms`;
  if (s4 < 60) return `${number(s4, 1)} s`;
  if (s4 < 3600) return `${Math.floor(s4 / 60)} min ${Math.floor(s4 % 60)} s`;
  return `${number(Math.floor(s4 / 3600))} h ${Math.floor(s4 % 3600 / 60)} min`;
}
function took(from, to) {
  return from && to ? duration(Date.parse(to) - Date.parse(from)) : "";
}

// app/visible.ts
var hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
var hiddenButBreaks = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
function escape(character) {
  if (character === "\n") return "\\n";
  if (character === "	") return "\\t";
  const code = character.codePointAt(0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
var visible = (text) => text.replace(hidden, escape);
var visibleLines = (text) => text.replace(hiddenButBreaks, escape);

// app/filters.tsx
function Filters({ label, children }) {
  const apply = (form) => {
    const change2 = { cursor: [], before: [] };
    for (const control of form.elements) {
      if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
        if (control.name) change2[control.name] = [];
      }
    }
    for (const [name, value] of new FormData(form)) if (value) (change2[name] ??= []).push(valueOf(form, name, String(value)));
    open(withQuery(change2), "filter");
  };
  return /* @__PURE__ */ a4(
    "form",
    {
      class: "filters",
      role: "search",
      "aria-label": label,
      onSubmit: (e4) => (e4.preventDefault(), apply(e4.currentTarget)),
      onChange: (e4) => apply(e4.currentTarget),
      children
    }
  );
}
function valueOf(form, name, value) {
  const control = form.elements.namedItem(name);
  return control instanceof HTMLInputElement && control.type === "datetime-local" ? instantOf(value, shownZone()) : value;
}
function useTyped(shown4) {
  const input = T2(null);
  A2(() => {
    input.current.value = shown4;
  }, [shown4]);
  return input;
}
function TextFilter({ name, label, type = "text" }) {
  const input = useTyped(param(name));
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("input", { ref: input, name, type, list: void 0, "data-find": name === "text" ? "" : void 0, autocomplete: "off" })
  ] });
}
function ChoiceFilter({ name, label, values, any }) {
  const chosen = param(name);
  const all3 = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("select", { name, value: chosen, children: [
      /* @__PURE__ */ a4("option", { value: "", selected: chosen === "", children: any }),
      all3.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: chosen === v5, children: visible(v5) }, v5))
    ] })
  ] });
}
function NumberFilter({ name, label }) {
  const input = useTyped(param(name));
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("input", { ref: input, name, type: "number", min: "1", step: "1", autocomplete: "off" })
  ] });
}
function TimeFilter({ name, label }) {
  const zone = shownZone();
  const input = useTyped(localInput(param(name), zone));
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: [
      label,
      " (",
      zone,
      ")"
    ] }),
    /* @__PURE__ */ a4("input", { ref: input, name, type: "datetime-local", step: "1" })
  ] });
}
function CheckFilter({ name, label, about }) {
  return /* @__PURE__ */ a4("label", { class: "check", title: about, children: [
    /* @__PURE__ */ a4("input", { name, type: "checkbox", value: "true", checked: param(name) === "true" }),
    /* @__PURE__ */ a4("span", { children: label })
  ] });
}
function MoreFilters({ names: names2, children }) {
  const [open3, fold] = d2(hasRoom || names2.some((name) => param(name)));
  return /* @__PURE__ */ a4("details", { class: "more", open: open3, onToggle: (e4) => fold(e4.currentTarget.open), children: [
    /* @__PURE__ */ a4("summary", { children: say.value.moreFilters }),
    /* @__PURE__ */ a4("div", { class: "filters", children })
  ] });
}

// app/hint.tsx
function Command({ children, name }) {
  const m5 = say.value;
  const copy2 = async () => {
    await navigator.clipboard.writeText(children);
    announce(m5.copied);
  };
  return /* @__PURE__ */ a4("div", { class: "command", children: [
    /* @__PURE__ */ a4("pre", { tabIndex: 0, children: /* @__PURE__ */ a4("code", { children }) }),
    navigator.clipboard && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void copy2(), "aria-label": m5.copyThis(name), children: m5.copy })
  ] });
}
function FirstWorker({ station: station3 }) {
  const name = /^[\w.-]+$/.test(station3) ? station3 : "hello";
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(Command, { children: `stationmaster work --station ${name} -- echo hello` }),
    /* @__PURE__ */ a4(Command, { children: `nats reply station.${name} --queue ${name} '{"state":"ok"}'` }),
    /* @__PURE__ */ a4(Command, { children: `w, err := worker.New(nc, worker.Options{})
w.Handle("${name}", "*", handler)
err = w.Run(ctx)` })
  ] });
}
function Refused({ by }) {
  return /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: visible(by.message) });
}
var problemText = (e4) => e4 instanceof Refusal ? visible(e4.message) : say.value.connectionLost;

// app/resource.ts
var soon = "100";
var rest = (took2) => Math.min(Math.max(4e3, 5 * took2), 7500);
function useResource(address, keep = false, still = false) {
  const resource = useSignal({ busy: address !== void 0 });
  const asked3 = useSignal(0);
  A2(() => {
    if (address === void 0) return;
    resource.value = { ...keep ? resource.value : {}, busy: true };
    const round2 = new AbortController();
    let timer = 0;
    const ask2 = async () => {
      clearTimeout(timer);
      const begun = performance.now();
      try {
        const { value, etag } = await request("GET", address, void 0, { signal: round2.signal });
        resource.value = { data: value, etag, busy: false };
      } catch (e4) {
        if (round2.signal.aborted) return;
        if (e4 instanceof Refusal && e4.status === 401) resource.value = { ...resource.value, busy: false };
        else if (e4 instanceof Refusal) resource.value = { data: e4.status === 404 ? void 0 : resource.value.data, refused: e4, busy: false };
      }
      clearTimeout(timer);
      if (!still || !resource.peek().data) timer = window.setTimeout(again, rest(performance.now() - begun));
    };
    const again = () => updates.due() ? void ask2() : timer = window.setTimeout(again, 1e3);
    const seen = () => document.visibilityState === "visible" && !still && again();
    let first2 = true;
    const unsubscribe = reconnected.subscribe(() => first2 ? first2 = false : void ask2());
    void ask2();
    document.addEventListener("visibilitychange", seen);
    return () => {
      unsubscribe();
      round2.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [address, asked3.value]);
  return [resource, () => asked3.value++];
}
function useSoonThenAll(path, query2, isPart, still) {
  const all3 = restPath(path, query2);
  const [wanted, setWanted] = d2("");
  const [resource, again] = useResource(wanted === all3 ? all3 : restPath(path, { ...query2, within_ms: soon }), true, still);
  const { data, busy } = resource.value;
  F2(() => {
    if (data && !busy && isPart(data)) setWanted(all3);
  }, [data]);
  return [resource, again];
}

// app/name.tsx
var Name = ({ of, id }) => /* @__PURE__ */ a4($, { children: [
  visible(of),
  /* @__PURE__ */ a4("span", { class: "slash", children: "/" }),
  visible(id)
] });
function PlanLink({ station: station3, id, known }) {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("a", { href: planPage(station3, id), children: /* @__PURE__ */ a4(Name, { of: station3, id }) }),
    known && /* @__PURE__ */ a4("div", { class: "known", children: visible(known) })
  ] });
}
function jobOf(run) {
  const call2 = run.station === "http" ? run.messages?.[0] : void 0;
  return typeof call2?.name === "string" ? call2.name : void 0;
}
function Labels({ of }) {
  return /* @__PURE__ */ a4($, { children: Object.entries(of ?? {}).map(([name, value]) => /* @__PURE__ */ a4("span", { class: "label", children: [
    visible(`${name}=${value}`),
    " "
  ] }, name)) });
}

// app/dialog.tsx
function Dialog({ title: title2, verb, act, close, children, danger }) {
  const dialog = T2(null);
  const [refused, refuse] = d2("");
  const [busy, setBusy] = d2(false);
  const m5 = say.value;
  A2(() => {
    const d5 = dialog.current;
    const before = document.activeElement;
    d5.showModal();
    const field2 = d5.querySelector("input, textarea, select");
    (field2 ?? d5.querySelector("button[type=submit]"))?.focus();
    field2?.select?.();
    return () => {
      d5.close();
      (before?.isConnected && before !== document.body ? before : document.querySelector("h1"))?.focus();
    };
  }, []);
  const submit = async (e4) => {
    e4.preventDefault();
    e4.stopPropagation();
    if (!act || busy) return;
    setBusy(true);
    refuse("");
    markFaults(dialog.current, []);
    try {
      await act(new FormData(e4.currentTarget));
      close();
    } catch (problem) {
      refuse(problem instanceof Refusal ? visible(problem.message) : m5.connectionLost);
      setBusy(false);
      const d5 = dialog.current;
      const first2 = markFaults(d5, problem instanceof Refusal ? problem.errors : []);
      setTimeout(() => (first2 ?? d5.querySelector("button[type=submit]"))?.focus());
    }
  };
  useSignalEffect(() => {
    if (!lost.value) refuse((text) => text === say.peek().connectionLost ? "" : text);
  });
  return /* @__PURE__ */ a4("dialog", { ref: dialog, "aria-labelledby": "dialog-title", onCancel: (e4) => (e4.preventDefault(), close()), onClose: close, children: /* @__PURE__ */ a4("form", { onSubmit: submit, children: [
    /* @__PURE__ */ a4("h2", { id: "dialog-title", children: title2 }),
    children,
    refused && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", id: "dialog-fault", children: refused }),
    /* @__PURE__ */ a4("div", { class: "buttons", children: [
      verb && /* @__PURE__ */ a4("button", { type: "submit", class: danger ? "danger" : "primary", disabled: busy, children: verb }),
      /* @__PURE__ */ a4("button", { type: "button", onClick: close, children: m5.back })
    ] })
  ] }) });
}
function markFaults(dialog, errors) {
  const wrong = new Set(errors.map((e4) => (e4.field ?? "").replace(/\[.*$/, "")));
  let first2;
  for (const control of dialog.querySelectorAll("[name]")) {
    const is = wrong.has(control.name);
    if (is) first2 ??= control;
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", "dialog-fault"]]) {
      if (is) control.setAttribute(name, value);
      else control.removeAttribute(name);
    }
  }
  return first2;
}

// app/many.ts
var every = 500;
async function allThatMatch(asked3, filter, expect, begun, show, gone) {
  const { value } = await request("POST", restPath(["bulk"]), { ...asked3, filter, expect });
  const address = restPath(["bulk", value.id]);
  begun(() => void request("DELETE", address).catch(() => void 0), value);
  await follow(address, value, show, gone);
}
async function follow(address, first2, show, gone) {
  for (let at2 = first2; !at2.ended && !gone.aborted; show(at2)) {
    await new Promise((go) => setTimeout(go, every));
    try {
      at2 = (await request("GET", address, void 0, { signal: gone })).value;
    } catch (e4) {
      if (gone.aborted) return;
      if (e4 instanceof Refusal) throw e4;
    }
  }
}
async function countMatching(filter, gone) {
  const { value } = await request("POST", restPath(["bulk"]), { verb: "trigger", filter, dry_run: true });
  let last = value;
  await follow(restPath(["bulk", value.id]), value, (p5) => last = p5, gone);
  if (last.error) throw new Refusal(409, "", last.error.message, []);
  return last.matched;
}
async function oneByOne(asked3, plans, show, stopped) {
  let p5 = { matched: plans.length, done: 0, refused: 0, left: plans.length, refusals: [], left_out: 0, state: "running" };
  for (const one of plans) {
    if (stopped.aborted) break;
    const { station: station3, plan_id } = one;
    try {
      await ask(asked3, one);
      p5 = { ...p5, done: p5.done + 1, left: p5.left - 1 };
    } catch (e4) {
      if (!(e4 instanceof Refusal)) {
        show({ ...p5, state: "stopped", ended: (/* @__PURE__ */ new Date()).toISOString() });
        throw e4;
      }
      p5 = { ...p5, refused: p5.refused + 1, left: p5.left - 1, refusals: [...p5.refusals, { station: station3, plan_id, error: { code: e4.code, message: e4.message } }] };
    }
    show(p5);
  }
  show({ ...p5, state: p5.left > 0 ? "stopped" : "done", ended: (/* @__PURE__ */ new Date()).toISOString() });
}
async function ask({ verb, note, count: count2 }, { station: station3, plan_id, state }) {
  const path = ["plans", station3, plan_id];
  const body = { ...note && { note }, ...count2 !== void 0 && { count: count2 } };
  if (verb === "remove") return void await request("DELETE", restPath(path), body);
  if (verb !== "cancel") return void await request("POST", restPath([...path, verb]), body);
  const open3 = (state?.open ?? []).flatMap((o5) => o5.executions ?? []);
  if (open3.length === 0) throw new Refusal(409, "conflict", "nothing of it is under way", []);
  for (const { n: n3 } of open3) await request("POST", restPath([...path, "runs", String(n3), "cancel"]), body);
}

// vendor/combobox-nav/index.js
var Combobox = class {
  constructor(input, list, { tabInsertsSuggestions, firstOptionSelectionMode, scrollIntoViewOptions } = {}) {
    this.input = input;
    this.list = list;
    this.tabInsertsSuggestions = tabInsertsSuggestions !== null && tabInsertsSuggestions !== void 0 ? tabInsertsSuggestions : true;
    this.firstOptionSelectionMode = firstOptionSelectionMode !== null && firstOptionSelectionMode !== void 0 ? firstOptionSelectionMode : "none";
    this.scrollIntoViewOptions = scrollIntoViewOptions !== null && scrollIntoViewOptions !== void 0 ? scrollIntoViewOptions : { block: "nearest", inline: "nearest" };
    this.isComposing = false;
    this.didAutoAssignLastSelectedId = false;
    if (!list.id) {
      list.id = `combobox-${Math.random().toString().slice(2, 6)}`;
    }
    this.ctrlBindings = !!navigator.userAgent.match(/Macintosh/);
    this.keyboardEventHandler = (event) => keyboardBindings(event, this);
    this.compositionEventHandler = (event) => trackComposition(event, this);
    this.inputHandler = this.clearSelection.bind(this);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-haspopup", "listbox");
  }
  destroy() {
    this.clearSelection();
    this.stop();
    this.input.removeAttribute("role");
    this.input.removeAttribute("aria-controls");
    this.input.removeAttribute("aria-expanded");
    this.input.removeAttribute("aria-autocomplete");
    this.input.removeAttribute("aria-haspopup");
  }
  start() {
    this.input.setAttribute("aria-expanded", "true");
    this.input.addEventListener("compositionstart", this.compositionEventHandler);
    this.input.addEventListener("compositionend", this.compositionEventHandler);
    this.input.addEventListener("input", this.inputHandler);
    this.input.addEventListener("keydown", this.keyboardEventHandler);
    this.list.addEventListener("click", commitWithElement);
    this.resetSelection();
  }
  stop() {
    this.clearSelection();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeEventListener("compositionstart", this.compositionEventHandler);
    this.input.removeEventListener("compositionend", this.compositionEventHandler);
    this.input.removeEventListener("input", this.inputHandler);
    this.input.removeEventListener("keydown", this.keyboardEventHandler);
    this.list.removeEventListener("click", commitWithElement);
  }
  indicateDefaultOption() {
    var _a;
    if (this.firstOptionSelectionMode === "active") {
      (_a = Array.from(this.list.querySelectorAll('[role="option"]:not([aria-disabled="true"])')).filter(visible2)[0]) === null || _a === void 0 ? void 0 : _a.setAttribute("data-combobox-option-default", "true");
    } else if (this.firstOptionSelectionMode === "selected") {
      this.navigate(1);
    }
  }
  navigate(indexDiff = 1) {
    const focusEl = Array.from(this.list.querySelectorAll('[aria-selected="true"]')).filter(visible2)[0];
    const els = Array.from(this.list.querySelectorAll('[role="option"]')).filter(visible2);
    const focusIndex = els.indexOf(focusEl);
    if (focusIndex === els.length - 1 && indexDiff === 1 || focusIndex === 0 && indexDiff === -1) {
      this.clearSelection();
      this.input.focus();
      return;
    }
    let indexOfItem = indexDiff === 1 ? 0 : els.length - 1;
    if (focusEl && focusIndex >= 0) {
      const newIndex = focusIndex + indexDiff;
      if (newIndex >= 0 && newIndex < els.length)
        indexOfItem = newIndex;
    }
    const target = els[indexOfItem];
    if (!target)
      return;
    for (const el of els) {
      el.removeAttribute("data-combobox-option-default");
      if (target === el) {
        if (!target.id && !document.getElementById(`${this.list.id}-selected`)) {
          target.id = `${this.list.id}-selected`;
          this.didAutoAssignLastSelectedId = true;
        }
        if (target.id) {
          this.input.setAttribute("aria-activedescendant", target.id);
        }
        target.setAttribute("aria-selected", "true");
        fireSelectEvent(target);
        target.scrollIntoView(this.scrollIntoViewOptions);
      } else {
        if (el.id === `${this.list.id}-selected` && this.didAutoAssignLastSelectedId) {
          el.removeAttribute("id");
          this.didAutoAssignLastSelectedId = false;
        }
        el.removeAttribute("aria-selected");
      }
    }
  }
  clearSelection() {
    this.input.removeAttribute("aria-activedescendant");
    for (const el of this.list.querySelectorAll('[aria-selected="true"], [data-combobox-option-default="true"]')) {
      el.removeAttribute("aria-selected");
      el.removeAttribute("data-combobox-option-default");
      if (el.id === `${this.list.id}-selected` && this.didAutoAssignLastSelectedId) {
        el.removeAttribute("id");
        this.didAutoAssignLastSelectedId = false;
      }
    }
  }
  resetSelection() {
    this.clearSelection();
    this.indicateDefaultOption();
  }
};
function keyboardBindings(event, combobox) {
  if (event.shiftKey || event.metaKey || event.altKey)
    return;
  if (!combobox.ctrlBindings && event.ctrlKey)
    return;
  if (combobox.isComposing)
    return;
  switch (event.key) {
    case "Enter":
      if (commit(combobox.input, combobox.list)) {
        event.preventDefault();
      }
      break;
    case "Tab":
      if (combobox.tabInsertsSuggestions && commit(combobox.input, combobox.list)) {
        event.preventDefault();
      }
      break;
    case "Escape":
      combobox.clearSelection();
      break;
    case "ArrowDown":
      combobox.navigate(1);
      event.preventDefault();
      break;
    case "ArrowUp":
      combobox.navigate(-1);
      event.preventDefault();
      break;
    case "n":
      if (combobox.ctrlBindings && event.ctrlKey) {
        combobox.navigate(1);
        event.preventDefault();
      }
      break;
    case "p":
      if (combobox.ctrlBindings && event.ctrlKey) {
        combobox.navigate(-1);
        event.preventDefault();
      }
      break;
    default:
      if (event.ctrlKey)
        break;
      combobox.resetSelection();
  }
}
function commitWithElement(event) {
  if (!(event.target instanceof Element))
    return;
  const target = event.target.closest('[role="option"]');
  if (!target)
    return;
  if (target.getAttribute("aria-disabled") === "true")
    return;
  fireCommitEvent(target, { event });
}
function commit(input, list) {
  const target = list.querySelector('[aria-selected="true"], [data-combobox-option-default="true"]');
  if (!target)
    return false;
  if (target.getAttribute("aria-disabled") === "true")
    return true;
  target.click();
  return true;
}
function fireCommitEvent(target, detail) {
  target.dispatchEvent(new CustomEvent("combobox-commit", { bubbles: true, detail }));
}
function fireSelectEvent(target) {
  target.dispatchEvent(new Event("combobox-select", { bubbles: true }));
}
function visible2(el) {
  return !el.hidden && !(el instanceof HTMLInputElement && el.type === "hidden") && (el.offsetWidth > 0 || el.offsetHeight > 0);
}
function trackComposition(event, combobox) {
  combobox.isComposing = event.type === "compositionstart";
  const list = document.getElementById(combobox.input.getAttribute("aria-controls") || "");
  if (!list)
    return;
  combobox.clearSelection();
}

// app/search.tsx
var shown = a3(false);
var openSearch = () => void (shown.value = true);
function Search() {
  const m5 = say.value;
  if (!shown.value) return null;
  const close = () => shown.value = false;
  return /* @__PURE__ */ a4(Dialog, { title: m5.search, close, children: /* @__PURE__ */ a4(Finder, { close }) });
}
function Finder({ close }) {
  const m5 = say.value;
  const input = T2(null);
  const list = T2(null);
  const [text, setText] = d2("");
  const [found, setFound] = d2([]);
  const answered2 = T2("");
  const [note, setNote] = d2("");
  const [far, setFar] = d2("");
  const box = T2(void 0);
  const look2 = T2(void 0);
  A2(() => () => look2.current?.abort(), []);
  A2(() => {
    const b3 = new Combobox(input.current, list.current, { firstOptionSelectionMode: "active" });
    b3.start();
    box.current = b3;
    return () => b3.destroy();
  }, []);
  F2(() => box.current?.resetSelection(), [found]);
  A2(() => {
    const round2 = new AbortController();
    const take = (all3) => {
      if (look2.current && !look2.current.signal.aborted) return;
      answered2.current = text.trim();
      setFound(all3);
      setNote(all3.length || !text.trim() ? "" : m5.nothingFound);
    };
    const timer = setTimeout(() => void find(text.trim(), round2.signal).then(take, () => {
    }), 120);
    return () => (clearTimeout(timer), round2.abort());
  }, [text]);
  const go = (f5) => (close(), open(f5.n === void 0 ? planPage(f5.station, f5.id) : runPage(f5.station, f5.id, f5.n)));
  const goAtOnce = async (asked3) => {
    look2.current?.abort();
    const { signal } = look2.current = new AbortController();
    try {
      const [first2] = await find(asked3, signal);
      if (signal.aborted) return;
      if (first2) go(first2);
      else void everywhere();
    } catch (e4) {
      if (!signal.aborted) setNote(problemText(e4));
    }
  };
  const everywhere = async () => {
    look2.current?.abort();
    const { signal } = look2.current = new AbortController();
    const ask2 = (path, query2) => request("GET", restPath(path, query2), void 0, { signal }).then((a5) => a5.value);
    let page2, looked = 0, all3;
    try {
      do {
        page2 = await ask2(["plans"], { text: text.trim(), fields: "brief", limit: "20", cursor: page2?.next });
        if (page2.plans.length === 0 && page2.next) {
          all3 ??= count((await ask2(["overview"], {})).plans.total);
          setFar(m5.searching(count(looked += page2.looked_at ?? 0), all3));
        }
      } while (page2.plans.length === 0 && page2.next);
    } catch (e4) {
      if (!signal.aborted) setNote(problemText(e4));
      return;
    }
    setFar("");
    setFound(page2.plans.map(foundOf));
    setNote(page2.plans.length ? "" : m5.searched);
  };
  return /* @__PURE__ */ a4("div", { class: "finder", children: [
    /* @__PURE__ */ a4(
      "input",
      {
        ref: input,
        type: "text",
        role: "combobox",
        "aria-label": m5.search,
        "aria-controls": "found",
        "aria-expanded": found.length > 0,
        "aria-autocomplete": "list",
        autocomplete: "off",
        spellcheck: false,
        placeholder: "station/id",
        value: text,
        onInput: (e4) => (look2.current?.abort(), setFar(""), setText(e4.currentTarget.value)),
        onKeyDown: (e4) => {
          const asked3 = e4.currentTarget.value.trim(), known = answered2.current === asked3;
          if (e4.key !== "Enter" || e4.isComposing || known && found.length > 0) return;
          e4.preventDefault();
          e4.stopImmediatePropagation();
          if (asked3) void (known ? everywhere() : goAtOnce(asked3));
        }
      }
    ),
    /* @__PURE__ */ a4("ul", { ref: list, id: "found", role: "listbox", "aria-label": m5.pages.plans, children: found.map((f5, i4) => /* @__PURE__ */ a4("li", { id: `found-${i4}`, role: "option", ref: onCommit(() => go(f5)), children: [
      f5.n === void 0 ? visible(`${f5.station}/${f5.id}`) : m5.runTitle(visible(`${f5.station}/${f5.id}`), String(f5.n)),
      " ",
      /* @__PURE__ */ a4("small", { children: visible(f5.about) })
    ] }, `${f5.station}/${f5.id}/${f5.n}`)) }),
    /* @__PURE__ */ a4("p", { "aria-live": "polite", children: note || (found.length ? m5.found(count(found.length)) : m5.searchHint) }),
    far && /* @__PURE__ */ a4("p", { class: "about", children: far }),
    text.trim() && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void everywhere(), children: m5.searchTexts })
  ] });
}
var onCommit = (act) => (e4) => {
  if (!e4) return;
  const listening = e4;
  if (listening.committed) e4.removeEventListener("combobox-commit", listening.committed);
  listening.committed = act;
  e4.addEventListener("combobox-commit", act);
};
var foundOf = ({ plan, state }) => ({
  station: String(plan.station),
  id: String(plan.plan_id),
  about: plan.description ? `${state.status} · ${plan.description}` : state.status
});
async function find(text, signal) {
  if (!text) return [];
  const [, task, n3] = /^([^/]+)\.([1-9]\d*)$/.exec(text) ?? [];
  const [station3, id, ...more] = text.split("/");
  const exact = station3 && id && more.length === 0 ? request("GET", restPath(["plans", station3, id]), void 0, { signal }).then((a5) => [foundOf(a5.value)], none) : n3 ? request("GET", restPath(["runs", text]), void 0, { signal }).then((a5) => [{ station: "http", id: task, n: Number(n3), about: a5.value.status }], none) : Promise.resolve([]);
  const begin = request("GET", restPath(["plans"], { prefix: text, fields: "brief", limit: "10" }), void 0, { signal }).then((a5) => a5.value.plans.map(foundOf), none);
  const [one, others3] = await Promise.all([exact, begin]);
  return [...one, ...others3.filter((o5) => !one.some((f5) => f5.n === void 0 && f5.station === o5.station && f5.id === o5.id))];
}
function none(e4) {
  if (e4 instanceof Refusal) return [];
  throw e4;
}

// app/shortcuts.tsx
var here = /* @__PURE__ */ new Map();
var helpShown = a3(false);
function useShortcut(key, act) {
  A2(() => {
    here.set(key, act);
    return () => {
      if (here.get(key) === act) here.delete(key);
    };
  });
}
var places = { o: [], p: ["plans"], r: ["runs"], t: ["timeline"], c: ["calendar"], s: ["stations"], w: ["workers"], q: ["queues"], l: ["live"] };
var afterG = false;
function followKeys() {
  addEventListener("keydown", (e4) => {
    if ((e4.ctrlKey || e4.metaKey) && !e4.altKey && e4.key.toLowerCase() === "k") {
      e4.preventDefault();
      return openSearch();
    }
    if (keys.now.value === "off" || e4.ctrlKey || e4.metaKey || e4.altKey || e4.isComposing) return;
    const at2 = e4.target;
    if (at2.closest("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const act = actOf(e4.key);
    afterG = e4.key === "g" && !afterG;
    if (!act) return;
    e4.preventDefault();
    act();
  });
}
function actOf(key) {
  if (afterG) return places[key] && (() => open(pageOf(places[key])));
  switch (key) {
    case "/":
      return () => (document.querySelector("[data-find]") ?? document.querySelector("main input"))?.focus();
    case "?":
      return () => helpShown.value = true;
    case ".":
      return updates.toggle;
    case "j":
      return () => moveRow(1);
    case "k":
      return () => moveRow(-1);
    default:
      return here.get(key);
  }
}
function moveRow(by) {
  const links2 = [...document.querySelectorAll("main tbody tr > td:first-child a")];
  const at2 = links2.findIndex((l4) => l4.closest("tr").contains(document.activeElement));
  links2[at2 < 0 ? 0 : Math.min(Math.max(at2 + by, 0), links2.length - 1)]?.focus();
}
function ShortcutHelp() {
  const m5 = say.value;
  if (!helpShown.value) return null;
  return /* @__PURE__ */ a4(Dialog, { title: m5.shortcuts.title, close: () => helpShown.value = false, children: [
    /* @__PURE__ */ a4("dl", { class: "keys", children: m5.shortcuts.list.map(([key, text]) => /* @__PURE__ */ a4("div", { children: [
      /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4("kbd", { children: key }) }),
      /* @__PURE__ */ a4("dd", { children: text })
    ] }, key)) }),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("input", { type: "checkbox", checked: keys.now.value === "on", onChange: (e4) => keys.choose(e4.currentTarget.checked ? "on" : "off") }),
      /* @__PURE__ */ a4("span", { children: m5.shortcuts.use })
    ] })
  ] });
}

// app/table.tsx
function Table({ name, columns, children, busy, empty, listed, kind, figures }) {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: `scroll${listed ? " listed" : ""}${kind ? ` ${kind}` : ""}${figures ? ` figures-${figures}` : ""}`, role: "region", "aria-label": name, tabIndex: 0, "aria-busy": busy ? "true" : void 0, children: /* @__PURE__ */ a4("table", { "aria-label": name, children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: columns.map((c4) => /* @__PURE__ */ a4("th", { scope: "col", children: c4 }, c4)) }) }),
      /* @__PURE__ */ a4("tbody", { children })
    ] }) }),
    !busy && empty
  ] });
}
function Paging({ next: next2 }) {
  const m5 = say.value;
  const before = param("before");
  const cursor = param("cursor");
  if (!next2 && !cursor) return null;
  const earlier = before ? before.split("~") : [];
  return /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.paging, children: [
    cursor && /* @__PURE__ */ a4("a", { href: withQuery({ cursor: earlier.at(-1), before: earlier.slice(0, -1).join("~") }), children: m5.previousPage }),
    next2 && /* @__PURE__ */ a4("a", { href: withQuery({ cursor: next2, before: cursor ? [...earlier, cursor].join("~") : void 0 }), children: m5.nextPage })
  ] });
}
function Searched({ page: page2, says }) {
  if (page2.complete !== false || !page2.next) return null;
  const before = [param("before"), param("cursor")].filter(Boolean).join("~");
  return /* @__PURE__ */ a4("p", { class: "searched", children: [
    says(count(page2.looked_at ?? 0)),
    " ",
    /* @__PURE__ */ a4("a", { href: withQuery({ cursor: page2.next, before: before || void 0 }), children: say.value.goOn })
  ] });
}
function useSteady(list, keyOf3, name) {
  const before = T2({ at: "", keys: [] });
  const at2 = place.value.href;
  const keys2 = list.map(keyOf3);
  const region = document.querySelector(`[role=region][aria-label=${JSON.stringify(name)}]`);
  const { at: was, keys: rows, list: last, left } = before.current;
  const held = was === at2 && last !== left && rows.length > 0 && !!region?.matches(":hover, :focus-within");
  if (!held) before.current = { at: at2, keys: keys2, list, left: was === at2 ? left : list };
  const known = new Map(list.map((one) => [keyOf3(one), one]));
  const shown4 = before.current.keys.flatMap((key) => known.get(key) ?? []);
  const fresh = keys2.filter((key) => !before.current.keys.includes(key)).length;
  return [shown4, fresh, () => before.current = { at: "", keys: [] }];
}
function useCalm(list, keyOf3, name) {
  const [shown4, fresh, takeIn] = useSteady(list, keyOf3, name);
  const [, draw] = d2(0);
  return [shown4, /* @__PURE__ */ a4(NewRows, { n: fresh, show: () => (takeIn(), draw((n3) => n3 + 1)) })];
}
function NewRows({ n: n3, show }) {
  return n3 > 0 ? /* @__PURE__ */ a4("button", { type: "button", class: "fresh", onClick: show, children: say.value.fresh(n3) }) : null;
}

// app/foresight.tsx
var foresee = ({ method, path, body }, how = {}) => request(method, restPath(path, { dry_run: "true" }), body ?? (method === "POST" ? {} : void 0), how);
function Foresight({ of, zone, live }) {
  const m5 = say.value;
  const [dry, take] = d2();
  const [refused, refuse] = d2();
  const [busy, setBusy] = d2(true);
  A2(() => {
    const round2 = new AbortController();
    const timer = setTimeout(async () => {
      try {
        take((await foresee(of, { signal: round2.signal })).value);
        refuse(void 0);
      } catch (e4) {
        if (round2.signal.aborted) return;
        take(void 0);
        refuse(e4 instanceof Refusal ? e4 : void 0);
      }
      setBusy(false);
    }, dry || refused ? 150 : 0);
    return () => (clearTimeout(timer), round2.abort());
  }, [formatJson(of.body ?? null)]);
  return /* @__PURE__ */ a4("section", { class: "foresight", "aria-label": m5.foreseen, "aria-busy": busy ? "true" : void 0, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    dry && /* @__PURE__ */ a4(Foreseen, { of: dry, zone, live })
  ] });
}
function Foretold({ of, children }) {
  const [dry, take] = d2();
  const [refused, refuse] = d2();
  A2(() => {
    const asked3 = request(of.method, restPath(of.path, { dry_run: "true" }));
    asked3.then((a5) => take(a5.value), (e4) => refuse(e4 instanceof Refusal ? e4 : void 0));
  }, [of.path.join("/")]);
  return /* @__PURE__ */ a4("section", { class: "foresight", "aria-label": say.value.foreseen, "aria-busy": dry || refused ? void 0 : "true", children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    dry && children(dry)
  ] });
}
function Foreseen({ of: dry, zone, live }) {
  const m5 = say.value;
  const cancelled = dry.cancelled ?? [];
  const finishing = (live ?? []).filter((e4) => !cancelled.some((c4) => c4.n === e4.n));
  const moved = dry.changes.find((c4) => c4.field === "timezone");
  return /* @__PURE__ */ a4($, { children: [
    dry.created && /* @__PURE__ */ a4("p", { children: m5.wouldBeNew(dry.state) }),
    live?.length === 0 && /* @__PURE__ */ a4("p", { children: m5.nothingUnderWay }),
    cancelled.length > 0 && /* @__PURE__ */ a4("p", { class: "fault", children: m5.willBeCancelled(cancelled.length, workersOf(cancelled)) }),
    finishing.length > 0 && /* @__PURE__ */ a4("p", { children: m5.willFinish(finishing.length, workersOf(finishing)) }),
    !dry.created && /* @__PURE__ */ a4(Changes, { of: dry.changes }),
    /* @__PURE__ */ a4(Times, { ...dry, zone: moved?.after ?? zone })
  ] });
}
var workersOf = (all3) => all3.map((e4) => e4.worker_id ? visible(e4.worker_id) : say.value.noWorkerYet).join(", ");
function Changes({ of: changes }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.changes, columns: m5.columns.changes, empty: changes.length === 0 && /* @__PURE__ */ a4("p", { children: m5.noChanges }), children: changes.map((c4) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("code", { children: visible(c4.field) }) }),
    /* @__PURE__ */ a4("td", { children: shown2(c4.before) }),
    /* @__PURE__ */ a4("td", { children: c4.after === void 0 ? /* @__PURE__ */ a4("span", { class: "about", children: m5.dropped }) : shown2(c4.after) })
  ] }, c4.field)) });
}
var shown2 = (value) => value === void 0 || value === null ? "–" : visible(typeof value === "string" ? value : formatJson(value));
function Times({ before, after, created, state, zone }) {
  const m5 = say.value;
  if (after.length === 0) return before.length > 0 ? /* @__PURE__ */ a4("p", { class: "fault", children: state === "paused" ? m5.notDueUntilResume : m5.noLongerDue }) : null;
  const all3 = mergedTimes(created ? after : before, after);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("h3", { children: m5.nextOccurrences }),
    /* @__PURE__ */ a4("ol", { class: "times", children: all3.map((t4) => /* @__PURE__ */ a4("li", { class: t4.change, children: [
      /* @__PURE__ */ a4(When, { at: t4.at, zone, bare: true }),
      " ",
      t4.change === "new" && m5.newTime,
      t4.change === "lost" && m5.lostTime
    ] }, t4.at)) })
  ] });
}
var most = 5;
function mergedTimes(before, after) {
  const known = (list) => list.length < most ? Infinity : Date.parse(list[most - 1]);
  const lost2 = before.filter((at2) => !after.includes(at2) && Date.parse(at2) <= known(after));
  const kept = after.map((at2) => ({ at: at2, change: !before.includes(at2) && Date.parse(at2) <= known(before) ? "new" : void 0 }));
  return [...kept, ...lost2.map((at2) => ({ at: at2, change: "lost" }))].sort((a5, b3) => Date.parse(a5.at) - Date.parse(b3.at));
}

// app/verbs.tsx
var verbs = ["pause", "resume", "trigger", "skip", "reset", "close", "remove"];
function takes({ status, inbox, closing }, verb) {
  const stopped = status === "pending" || status === "plan_error";
  switch (verb) {
    case "pause":
      return status !== "paused" && !stopped;
    case "resume":
      return status === "paused";
    case "reset":
      return stopped;
    case "trigger":
      return !stopped && !closing;
    case "skip":
      return !inbox && !closing;
    case "close":
      return !closing;
    case "remove":
      return true;
  }
}
var atOnce = ["resume", "trigger"];
function changeOf(verb, station3, id, body = {}) {
  const path = ["plans", station3, id];
  return verb === "remove" ? { method: "DELETE", path, body } : { method: "POST", path: [...path, verb], body };
}
async function carryOut(verb, station3, id, body) {
  const m5 = say.value;
  const name = visible(`${station3}/${id}`);
  const change2 = changeOf(verb, station3, id, body);
  const { value } = await request(change2.method, restPath(change2.path), change2.body);
  announce(verb === "trigger" && value.n ? m5.triggered(name, value.n) : m5.verbs[verb].done(name));
}
function Actions({ view, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2();
  const { station: station3 = "", plan_id: id = "" } = view.plan;
  const there = session.operates.value ? verbs.filter((v5) => takes(view.state, v5)) : [];
  const begin = (verb) => {
    if (!there.includes(verb)) return;
    if (!atOnce.includes(verb)) return ask2(verb);
    carryOut(verb, station3, id, {}).then(after, (e4) => announce(problemText(e4)));
  };
  useShortcut("p", () => begin(there.includes("resume") ? "resume" : "pause"));
  useShortcut("t", () => begin("trigger"));
  useShortcut("e", () => session.operates.value && open(pageOf(["plans", station3, id, "edit"])));
  if (!session.operates.value) return null;
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    there.map((v5) => /* @__PURE__ */ a4("button", { type: "button", class: v5 === "remove" ? "danger" : void 0, onClick: () => begin(v5), children: m5.verbs[v5].name }, v5)),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", station3, id, "edit"]), children: m5.edit }),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", "new"], { copy: `${station3}/${id}` }), children: m5.copyPlan }),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", "new"], { copy: `${station3}/${id}`, once: "true" }), children: m5.runOnce }),
    asking2 && /* @__PURE__ */ a4(
      VerbDialog,
      {
        verb: asking2,
        view,
        close: () => ask2(void 0),
        act: async (form) => {
          const note = String(form.get("note") ?? "");
          const count2 = form.has("count") ? Number(form.get("count")) : void 0;
          await carryOut(asking2, station3, id, { ...note && { note }, ...count2 !== void 0 && { count: count2 } });
          after();
        }
      }
    )
  ] });
}
function VerbDialog({ verb, view, act, close }) {
  const m5 = say.value;
  const { station: station3 = "", plan_id: id = "" } = view.plan;
  const [count2, setCount] = d2("1");
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.verbs[verb].name} ${visible(`${station3}/${id}`)}`, verb: m5.verbs[verb].name, act, close, danger: verb === "remove", children: [
    /* @__PURE__ */ a4("p", { children: m5.verbs[verb].about }),
    verb === "skip" && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.howManySkips }),
      /* @__PURE__ */ a4("input", { name: "count", type: "number", min: "-1", step: "1", value: count2, onInput: (e4) => setCount(e4.currentTarget.value), required: true })
    ] }),
    (verb === "pause" || verb === "skip") && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.note }),
      /* @__PURE__ */ a4("input", { name: "note", maxLength: 512, autocomplete: "off" })
    ] }),
    /* @__PURE__ */ a4(Foresight, { of: changeOf(verb, station3, id, verb === "skip" ? { count: Number(count2) } : {}), zone: view.plan.timezone, live: verb === "close" || verb === "remove" ? underWay(view) : void 0 })
  ] });
}
var underWay = (view) => (view.state.open ?? []).flatMap((o5) => o5.executions ?? []);
function CancelRun({ station: station3, id, n: n3, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2(false);
  const change2 = { method: "POST", path: ["plans", station3, id, "runs", String(n3), "cancel"], body: {} };
  const act = async () => {
    await request(change2.method, restPath(change2.path), change2.body);
    announce(m5.cancelled(n3));
    after();
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2(true), children: m5.cancelRun }),
    asking2 && /* @__PURE__ */ a4(Dialog, { title: `${m5.cancelRun} ${n3}`, verb: m5.cancelRun, act, close: () => ask2(false), danger: true, children: [
      /* @__PURE__ */ a4("p", { children: m5.cancelAbout }),
      /* @__PURE__ */ a4(Foresight, { of: change2 })
    ] })
  ] });
}
function TriggerAgain({ station: station3, id }) {
  const m5 = say.value;
  const act = async () => {
    try {
      const { value } = await request("POST", restPath(["plans", station3, id, "trigger"]), {});
      announce(m5.triggered(visible(`${station3}/${id}`), value.n));
      open(planPage(station3, id));
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  return /* @__PURE__ */ a4("button", { type: "button", onClick: () => void act(), children: m5.triggerAgain });
}

// app/selection.tsx
var none2 = /* @__PURE__ */ new Set();
function useSelection(names2, there) {
  const at2 = place.value.search;
  const [chosen, set] = d2({ at: at2, names: none2 });
  const last = T2("");
  const stillThere = (c4) => c4.at === at2 ? new Set([...c4.names].filter((n3) => names2.includes(n3))) : none2;
  const now2 = stillThere(chosen);
  const choose = (name, on2, range) => {
    const [a5, b3] = [names2.indexOf(last.current), names2.indexOf(name)].sort((x4, y5) => x4 - y5);
    last.current = name;
    set((before) => {
      const next2 = new Set(stillThere(before));
      for (const one of range && a5 >= 0 ? names2.slice(a5, b3 + 1) : [name]) on2 ? next2.add(one) : next2.delete(one);
      return { at: at2, names: next2 };
    });
  };
  useShortcut("x", () => {
    const name = document.activeElement?.closest("tr[data-name]")?.dataset.name;
    if (there && name !== void 0) choose(name, !now2.has(name), false);
  });
  return { names: now2, has: (n3) => now2.has(n3), choose, choosePage: (on2) => set({ at: at2, names: on2 ? new Set(names2) : none2 }) };
}
function SelectRow({ name, label = name, of }) {
  return /* @__PURE__ */ a4("label", { class: "select", children: /* @__PURE__ */ a4("input", { type: "checkbox", "aria-label": say.value.many.select(visible(label)), checked: of.has(name), onClick: (e4) => of.choose(name, e4.currentTarget.checked, e4.shiftKey) }) });
}
function SelectPage({ names: names2, of }) {
  if (names2.length === 0) return null;
  return /* @__PURE__ */ a4("label", { class: "select-page", children: [
    /* @__PURE__ */ a4("input", { type: "checkbox", checked: of.names.size === names2.length, onChange: (e4) => of.choosePage(e4.currentTarget.checked) }),
    /* @__PURE__ */ a4("span", { children: say.value.many.page })
  ] });
}
function useTotal(query2, asked3) {
  const [total2] = useResource(asked3 ? restPath(["plans"], { ...query2, fields: "brief", total: "true", limit: "1" }) : void 0, true, true);
  return total2.value.data?.total_complete === false ? void 0 : total2.value.data?.total;
}
function SelectionBar({ chosen, of, filter, total: total2, can: can2, after }) {
  const m5 = say.value;
  const at2 = place.value.search;
  const [all3, chooseAll] = d2();
  const [asking2, ask2] = d2();
  const [work, setWork] = d2();
  const gone = T2(void 0);
  A2(() => {
    const control = gone.current = new AbortController();
    return () => control.abort();
  }, []);
  const some = of.names.size > 0;
  const allOf = some && all3?.at === at2 ? all3.n : void 0;
  const n3 = allOf ?? chosen.length;
  if (!some && !work) return null;
  const begin = async (asked3) => {
    const own = new AbortController();
    gone.current.signal.addEventListener("abort", () => own.abort());
    const show = (progress) => {
      setWork((before) => ({ verb: asked3.verb, stop: () => own.abort(), ...before, progress }));
      if (progress.ended) finish(progress);
    };
    const finish = (p5) => {
      announce(p5.error ? visible(p5.error.message) : m5.many.ended(nameOf(asked3.verb), count(p5.done), count(p5.refused), count(p5.left)));
      of.choosePage(false);
      chooseAll(void 0);
      after();
    };
    setWork(void 0);
    if (allOf === void 0) {
      void oneByOne(asked3, chosen, show, own.signal).catch((e4) => announce(problemText(e4)));
      return;
    }
    await new Promise((begun, refuse) => {
      const first2 = (stop, progress) => {
        setWork({ verb: asked3.verb, progress, stop });
        begun();
        if (progress.ended) finish(progress);
      };
      allThatMatch(asked3, filter, allOf, first2, show, gone.current.signal).catch((e4) => (refuse(e4), announce(problemText(e4))));
    });
  };
  const there = can2.filter((v5) => v5 === "cancel" || allOf !== void 0 || chosen.some(({ state }) => !state || takes(state, v5)));
  const countAll = () => void countMatching(filter, gone.current.signal).then((n4) => chooseAll({ at: at2, n: n4 }), (e4) => announce(problemText(e4)));
  const said = () => {
    if (total2 !== "ask") return allOf === void 0 ? m5.many.chosen(count(n3)) : m5.many.allChosen(count(n3));
    return allOf === void 0 ? m5.many.chosenRuns(count(of.names.size), n3, count(n3)) : m5.many.allOfRuns(n3, count(n3));
  };
  const idle = !work || work.progress.ended !== void 0;
  return /* @__PURE__ */ a4("section", { class: "selection", "aria-label": m5.many.region, children: [
    some && idle && /* @__PURE__ */ a4("div", { class: "actions", children: [
      /* @__PURE__ */ a4("strong", { children: said() }),
      allOf === void 0 && total2 === "ask" && /* @__PURE__ */ a4("button", { type: "button", class: "link", onClick: countAll, children: m5.many.allRuns }),
      allOf === void 0 && total2 !== "ask" && total2 !== void 0 && total2 > chosen.length && /* @__PURE__ */ a4("button", { type: "button", class: "link", onClick: () => chooseAll({ at: at2, n: total2 }), children: m5.many.all(count(total2)) }),
      there.map((v5) => /* @__PURE__ */ a4("button", { type: "button", class: v5 === "remove" ? "danger" : void 0, onClick: () => ask2(v5), children: nameOf(v5) }, v5)),
      /* @__PURE__ */ a4("button", { type: "button", onClick: () => (of.choosePage(false), chooseAll(void 0)), children: m5.many.none })
    ] }),
    work && /* @__PURE__ */ a4(HowFar, { work, close: () => setWork(void 0) }),
    asking2 && /* @__PURE__ */ a4(ManyDialog, { verb: asking2, n: n3, close: () => ask2(void 0), begin })
  ] });
}
var manyVerbs = [...verbs, "cancel"];
var nameOf = (verb) => verb === "cancel" ? say.value.many.cancel.name : say.value.verbs[verb].name;
function ManyDialog({ verb, n: n3, begin, close }) {
  const m5 = say.value;
  const act = async (form) => {
    if (verb === "remove" && String(form.get("number")).replace(/\D/g, "") !== String(n3)) throw new Refusal(0, "", m5.many.otherNumber(count(n3)), []);
    const note = String(form.get("note") ?? "");
    await begin({ verb, ...note && { note }, ...form.has("count") && { count: Number(form.get("count")) } });
  };
  return /* @__PURE__ */ a4(Dialog, { title: verb === "cancel" ? m5.many.cancel.of(n3, count(n3)) : m5.many.title(nameOf(verb), n3, count(n3)), verb: nameOf(verb), act, close, danger: verb === "remove", children: [
    /* @__PURE__ */ a4("p", { children: verb === "cancel" ? m5.many.cancel.about : m5.verbs[verb].about }),
    verb === "skip" && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.howManySkips }),
      /* @__PURE__ */ a4("input", { name: "count", type: "number", min: "-1", step: "1", defaultValue: "1", required: true })
    ] }),
    verb === "remove" && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.many.number(count(n3)) }),
      /* @__PURE__ */ a4("input", { name: "number", inputMode: "numeric", autocomplete: "off", required: true })
    ] }),
    /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.note }),
      /* @__PURE__ */ a4("input", { name: "note", maxLength: 512, autocomplete: "off" })
    ] })
  ] });
}
function HowFar({ work: { verb, progress: p5, stop }, close }) {
  const m5 = say.value;
  const text = m5.many.progress(nameOf(verb), count(p5.done + p5.refused), count(p5.matched));
  return /* @__PURE__ */ a4("div", { class: "how-far", children: [
    /* @__PURE__ */ a4("div", { class: "actions", children: [
      /* @__PURE__ */ a4("progress", { "aria-label": nameOf(verb), max: Math.max(p5.matched, 1), value: p5.matched ? p5.done + p5.refused : p5.ended ? 1 : 0 }),
      /* @__PURE__ */ a4("span", { children: p5.ended ? m5.many.ended(nameOf(verb), count(p5.done), count(p5.refused), count(p5.left)) : text }),
      p5.ended ? /* @__PURE__ */ a4("button", { type: "button", onClick: close, children: m5.many.close }) : /* @__PURE__ */ a4("button", { type: "button", onClick: stop, children: m5.many.stop })
    ] }),
    p5.ended && p5.error && /* @__PURE__ */ a4("p", { class: "alert", children: visible(p5.error.message) }),
    p5.refusals.length > 0 && /* @__PURE__ */ a4(Table, { listed: true, name: m5.many.refusals, columns: m5.many.columns, children: p5.refusals.map(({ station: station3 = "", plan_id = "", error }) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(PlanLink, { station: station3, id: plan_id }) }),
      /* @__PURE__ */ a4("td", { children: visible(error.message) })
    ] }, `${station3}/${plan_id}`)) }),
    p5.left_out > 0 && /* @__PURE__ */ a4("p", { children: m5.many.leftOut(count(p5.left_out)) })
  ] });
}

// app/state.tsx
var shapes = {
  ok: "M3 8l4 4 6-8",
  error: "M4 4l8 8M12 4l-8 8",
  failure: "M8 2l6 12H2zM8 6v4M8 12v.5",
  timeout: "M8 2a6 6 0 1 0 .01 0M8 5v3l2 2",
  skipped: "M3 4l5 4-5 4zM9 4l5 4-5 4z",
  cancelled: "M8 2a6 6 0 1 0 .01 0M4 12l8-8",
  running: "M5 3l8 5-8 5z",
  waiting: "M4 2h8M4 14h8M5 2c0 6 6 6 6 12M11 2c0 6-6 6-6 12",
  dispatched: "M2 8h11M9 4l4 4-4 4",
  queued: "M3 4h10M3 8h10M3 12h6",
  executing: "M5 3l8 5-8 5z",
  retrying: "M13 8a5 5 0 1 1-2-4M11 1v3h-3",
  paused: "M5 3v10M11 3v10",
  pending: "M8 2a3 3 0 1 0 .01 0M3 14c0-6 10-6 10 0",
  plan_error: "M8 2l6 12H2zM8 6v4M8 12v.5",
  closed: "M3 3h10v10H3z",
  ENABLED: "M5 3l8 5-8 5z",
  DISABLED: "M5 3v10M11 3v10",
  new: "M8 2v12M2 8h12",
  online: "M5 3l8 5-8 5z",
  offline: "M5 3v10M11 3v10",
  success: "M3 8l4 4 6-8"
};
function wordOf(state, wire = state) {
  const words = say.value.words;
  const translated = words[wire] ?? words[state];
  return translated && translated !== wire ? `${translated} ${wire}` : wire;
}
function State({ of, wire }) {
  return /* @__PURE__ */ a4("span", { class: `state ${of}`, children: [
    shapes[of] && /* @__PURE__ */ a4("svg", { viewBox: "0 0 16 16", width: "14", height: "14", "aria-hidden": "true", children: /* @__PURE__ */ a4("path", { d: shapes[of] }) }),
    wordOf(of, wire)
  ] });
}
var letters = { o: "ok", e: "error", f: "failure", t: "timeout", s: "skipped", c: "cancelled", "-": "running" };
var barsOf = (runs) => [...runs].map((letter) => ({ state: letters[letter] ?? "running" }));
function RunBars({ bars: bars2 }) {
  if (bars2.length === 0) return null;
  const longest = Math.max(...bars2.map((b3) => b3.took ?? 0));
  const height3 = (b3) => longest === 0 || b3.took === void 0 ? 16 : 6 + 14 * Math.log1p(b3.took) / Math.log1p(longest);
  return /* @__PURE__ */ a4("svg", { class: "bars", role: "img", "aria-label": inWords(bars2), viewBox: `0 0 ${bars2.length * 8} 24`, width: bars2.length * 8, height: "24", children: bars2.map((b3, i4) => /* @__PURE__ */ a4("g", { class: `bar ${b3.state}`, transform: `translate(${i4 * 8} 0)`, children: [
    /* @__PURE__ */ a4("rect", { x: "1", y: 22 - height3(b3), width: "5", height: height3(b3), rx: "1" }),
    mark[b3.state] && /* @__PURE__ */ a4("path", { d: mark[b3.state] })
  ] }, i4)) });
}
var mark = {
  error: "M1 20.5l5-5M6 20.5l-5-5",
  failure: "M1 12h5M1 16h5M1 20h5",
  timeout: "M3.5 14v4h2",
  cancelled: "M1 20.5l5-5"
};
function inWords(bars2) {
  const m5 = say.value;
  const groups2 = [];
  for (const { state } of bars2) {
    const last = groups2.at(-1);
    if (last?.state === state) last.n++;
    else groups2.push({ state, n: 1 });
  }
  return m5.lastRuns(groups2.map((g5) => `${g5.n} ${g5.state}`).join(", "));
}
function barsOfRuns(runs) {
  return runs.slice(0, 20).reverse().map((r4) => ({
    state: r4.state,
    took: r4.exec_time && r4.end_time ? Date.parse(r4.end_time) - Date.parse(r4.exec_time) : void 0
  }));
}
function Progress({ of }) {
  if (of === void 0) return null;
  return /* @__PURE__ */ a4("span", { class: "about", children: [
    " ",
    new Intl.NumberFormat(lang.now.value, { style: "percent" }).format(of / 100)
  ] });
}

// app/fact.tsx
function Fact({ name, children, wide }) {
  return /* @__PURE__ */ a4("div", { class: wide ? "wide" : void 0, children: [
    /* @__PURE__ */ a4("dt", { children: name }),
    /* @__PURE__ */ a4("dd", { children })
  ] });
}

// app/why.tsx
function Why({ station: station3, id, of = {}, zone }) {
  const m5 = say.value;
  const [resource] = useResource(
    restPath(["plans", station3, id, "explain"], { ...of, lang: lang.now.value === "zh" ? "zh" : void 0 })
  );
  const { data: e4, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "why", "aria-label": m5.why, "aria-busy": busy ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.why }),
    refused && !e4 && /* @__PURE__ */ a4("p", { children: visible(refused.message) }),
    e4 && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { class: "sentence", children: visible(e4.sentence) }),
      e4.remedy && /* @__PURE__ */ a4("p", { class: "remedy", children: visible(e4.remedy) }),
      /* @__PURE__ */ a4(Facts, { e: e4, zone, nextToo: !!of.n })
    ] })
  ] });
}
function Facts({ e: e4, zone, nextToo }) {
  const m5 = say.value;
  const blocking = e4.because?.occurrence !== void 0 && e4.because.n ? e4.because.n : void 0;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    e4.rule && /* @__PURE__ */ a4(Fact, { name: m5.rule, children: [
      /* @__PURE__ */ a4("code", { children: [
        e4.rule.field,
        ": ",
        visible(String(e4.rule.value ?? ""))
      ] }),
      " ",
      m5.ruleFrom(e4.rule.from)
    ] }),
    blocking && /* @__PURE__ */ a4(Fact, { name: m5.ranInto, children: /* @__PURE__ */ a4("a", { href: runPage(e4.station, e4.plan_id, blocking), children: m5.run(blocking) }) }),
    nextToo && e4.next && /* @__PURE__ */ a4(Fact, { name: m5.nextDue, children: /* @__PURE__ */ a4(When, { at: e4.next.plan_time, zone }) }),
    e4.last_ok && /* @__PURE__ */ a4(Fact, { name: m5.lastOk, children: /* @__PURE__ */ a4(When, { at: e4.last_ok.end_time, zone }) })
  ] });
}
function WhyLink({ run }) {
  const m5 = say.value;
  if (!asked.includes(run.state)) return null;
  return /* @__PURE__ */ a4("a", { class: "whylink", href: runPage(run.station, run.plan_id, run.n), children: [
    m5.why,
    /* @__PURE__ */ a4("span", { class: "unseen", children: [
      " ",
      m5.run(run.n),
      " ",
      planName(run)
    ] })
  ] });
}
var asked = ["skipped", "failure", "error", "timeout", "waiting", "dispatched", "cancelled"];
var planName = (run) => visible(`${run.station}/${run.plan_id}`);

// app/runs.tsx
var resultStates = ["ok", "error", "failure", "timeout", "skipped", "cancelled"];
var runKey = (r4) => `${r4.key} ${r4.n}`;
function Runs({ runs, name, all: all3, select, zone, busy, empty, workers = true }) {
  const m5 = say.value;
  const columns = all3 ? [m5.columns.plan, ...m5.columns.runs] : m5.columns.runs;
  return /* @__PURE__ */ a4(Table, { name: name ?? m5.pages.runs, columns: workers ? columns : columns.slice(0, -1), kind: all3 ? "runs" : void 0, busy, empty: runs.length === 0 && empty, children: runs.map((r4) => /* @__PURE__ */ a4("tr", { "data-name": select && runKey(r4), children: [
    all3 && /* @__PURE__ */ a4("td", { children: [
      select && /* @__PURE__ */ a4(SelectRow, { name: runKey(r4), label: `${r4.station}/${r4.plan_id} ${r4.n || ""}`.trim(), of: select }),
      /* @__PURE__ */ a4(PlanLink, { station: r4.station, id: r4.plan_id, known: r4.known_as ?? jobOf(r4) })
    ] }),
    /* @__PURE__ */ a4("td", { children: r4.n && /* @__PURE__ */ a4("a", { href: runPage(r4.station, r4.plan_id, r4.n), children: r4.n }) }),
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(State, { of: r4.state }),
      (r4.count ?? 0) > 1 && /* @__PURE__ */ a4("div", { class: "about", children: m5.occurrences(r4.count) })
    ] }),
    /* @__PURE__ */ a4("td", { children: [
      r4.reason && /* @__PURE__ */ a4("span", { class: "reason", children: [
        visible(r4.reason),
        " "
      ] }),
      r4.by && /* @__PURE__ */ a4("span", { class: "about", children: [
        visible(r4.by),
        " "
      ] }),
      r4.n > 0 && /* @__PURE__ */ a4(WhyLink, { run: r4 })
    ] }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.plan_time, zone, bare: true }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.exec_time, zone, bare: true }) }),
    /* @__PURE__ */ a4("td", { class: "number", children: took(r4.exec_time, r4.end_time) }),
    workers && /* @__PURE__ */ a4("td", { children: r4.worker_id && visible(r4.worker_id) })
  ] }, runKey(r4))) });
}

// app/sections.ts
var sections = [
  { path: [], name: "overview" },
  { path: ["plans"], name: "plans" },
  { path: ["runs"], name: "runs" },
  { path: ["timeline"], name: "timeline" },
  { path: ["calendar"], name: "calendar" },
  { path: ["stations"], name: "stations" },
  { path: ["workers"], name: "workers" },
  { path: ["jobs"], name: "jobs" },
  { path: ["tasks"], name: "tasks", also: "task-types" },
  { path: ["periodic"], name: "periodic" },
  { path: ["queues"], name: "queues" },
  { path: ["callbacks"], name: "callbacks" },
  { path: ["cluster"], name: "cluster" },
  { path: ["live"], name: "live" },
  { path: ["help"], name: "help" }
];
var has = (name) => sections.some((s4) => s4.name === name);

// app/shell.tsx
function Shell({ children }) {
  const m5 = say.value;
  const [menu, showMenu] = d2(false);
  A2(() => showMenu(false), [place.value]);
  A2(() => {
    const timer = setInterval(() => updates.due() && void hearAgain(), unheard);
    return () => clearInterval(timer);
  }, []);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("a", { class: "skip", href: "#main", children: m5.skipToContent }),
    /* @__PURE__ */ a4(Banner, { menu, showMenu }),
    /* @__PURE__ */ a4("div", { class: "body", children: [
      /* @__PURE__ */ a4(Navigation, { shown: menu }),
      /* @__PURE__ */ a4("main", { id: "main", tabIndex: -1, children: [
        /* @__PURE__ */ a4(Alerts, {}),
        children
      ] })
    ] }),
    /* @__PURE__ */ a4("div", { class: "toast", role: "status", children: announced.value && /* @__PURE__ */ a4("p", { children: announced.value }) }),
    /* @__PURE__ */ a4(Search, {}),
    /* @__PURE__ */ a4(ShortcutHelp, {})
  ] });
}
function Banner({ menu, showMenu }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("header", { class: "banner", children: [
    /* @__PURE__ */ a4("a", { class: "brand", href: pageOf([]), children: [
      /* @__PURE__ */ a4(Mark, {}),
      " Stationmaster"
    ] }),
    /* @__PURE__ */ a4("button", { type: "button", class: "menu", "aria-expanded": menu, "aria-controls": "navigation", onClick: () => showMenu(!menu), children: m5.menu }),
    /* @__PURE__ */ a4("button", { type: "button", class: "find", onClick: openSearch, "aria-keyshortcuts": "Control+K", children: [
      m5.search,
      /* @__PURE__ */ a4("kbd", { "aria-hidden": "true", children: "Ctrl K" })
    ] }),
    /* @__PURE__ */ a4("div", { class: "settings", children: [
      /* @__PURE__ */ a4(Choice, { label: m5.language, choice: lang, words: { en: "English", zh: "中文" } }),
      /* @__PURE__ */ a4(Choice, { label: m5.theme, choice: theme, words: m5.themes }),
      /* @__PURE__ */ a4(Choice, { label: m5.timeZone, choice: tz, words: m5.zones }),
      /* @__PURE__ */ a4(Clock, {}),
      /* @__PURE__ */ a4("button", { type: "button", "aria-pressed": updates.paused.value, onClick: updates.toggle, children: m5.pauseUpdates }),
      session.current.value?.login && session.current.value.role !== "" && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void session.logOut(), children: m5.logOut })
    ] })
  ] });
}
function Mark() {
  return /* @__PURE__ */ a4("svg", { class: "mark", viewBox: "0 0 24 24", width: "24", height: "24", "aria-hidden": "true", children: [
    /* @__PURE__ */ a4("circle", { cx: "12", cy: "12", r: "10" }),
    /* @__PURE__ */ a4("path", { d: "M12 6v6l4 3" })
  ] });
}
function Choice({ label, choice, words }) {
  return /* @__PURE__ */ a4("label", { class: "choice", children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("select", { name: choice.name, value: choice.now.value, onChange: (e4) => choice.choose(e4.currentTarget.value), children: choice.values.map((v5) => /* @__PURE__ */ a4("option", { value: v5, children: words[v5] }, v5)) })
  ] });
}
function Clock() {
  const zone = shownZone();
  const l4 = localOf(now.value, zone);
  return /* @__PURE__ */ a4("span", { class: "clock", title: zone, children: [
    l4.time.slice(0, 5),
    " ",
    /* @__PURE__ */ a4("span", { class: "offset", children: l4.offset })
  ] });
}
function Navigation({ shown: shown4 }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: shown4 ? "side shown" : "side", children: /* @__PURE__ */ a4("nav", { id: "navigation", "aria-label": m5.main, children: /* @__PURE__ */ a4("ul", { children: sections.map((s4) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: pageOf([...s4.path]), "aria-current": names.value[0] === s4.path[0] || s4.also && names.value[0] === s4.also ? "page" : void 0, children: m5.pages[s4.name] }) }, s4.name)) }) }) });
}
function Alerts() {
  const m5 = say.value;
  const over = ended.value && names.value[0] !== "login";
  return /* @__PURE__ */ a4($, { children: [
    lost.value && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: m5.connectionLost }),
    over && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: [
      m5.sessionEnded,
      " ",
      /* @__PURE__ */ a4("a", { href: loginPage(), children: m5.logIn })
    ] })
  ] });
}
function Page({ title: title2, busy, aside, children }) {
  const heading = T2(null);
  const turn2 = opened.value;
  A2(() => {
    document.title = `${title2} · Stationmaster`;
  }, [title2]);
  A2(() => {
    if (turn2) heading.current?.focus({ preventScroll: true });
  }, [turn2]);
  F2(() => {
    document.getElementById("main").setAttribute("aria-busy", String(!!busy && !lost.value));
  }, [busy, lost.value]);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: "title", children: [
      /* @__PURE__ */ a4("h1", { ref: heading, tabIndex: -1, children: title2 }),
      aside
    ] }),
    children
  ] });
}

// app/all-runs.tsx
var reasons = [
  "overlap",
  "concurrency",
  "failure",
  "missed",
  "paused",
  "manual",
  "calendar",
  "start",
  "exec",
  "ping",
  "retries",
  "worker",
  "unknown",
  "unknown_state",
  "unsent",
  "too_large",
  "processed"
];
var filters = ["trouble", "failed", "text", "station", "plan_id", "state", "reason", "worker_id", "labels", "longer_than_ms", "from", "until", "to"];
var parameters = [...filters, "cursor", "limit"];
var can = ["trigger", "reset"];
function matching() {
  const run = {};
  for (const name of filters) {
    const given = param(name);
    if (!given) continue;
    if (name === "labels") run[name] = Object.fromEntries(given.split(",").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
    else run[name] = name === "trouble" || name === "failed" ? given === "true" : name === "longer_than_ms" ? Number(given) : given;
  }
  return { run };
}
function plansOf(runs) {
  return [...new Map(runs.map(({ station: station3, plan_id }) => [`${station3}/${plan_id}`, { station: station3, plan_id }])).values()];
}
function AllRuns() {
  const m5 = say.value;
  const query2 = Object.fromEntries(parameters.map((name) => [name, place.value.searchParams.getAll(name)]));
  const [resource, again] = useResource(restPath(["runs"], query2), true, param("cursor") !== "");
  const { data, refused, busy } = resource.value;
  const [runs, fresh] = useCalm(data?.runs ?? [], runKey, m5.pages.runs);
  const names2 = runs.map(runKey);
  const operates = session.operates.value;
  const selection = useSelection(names2, operates);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.runs, busy, children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterRuns, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "state", label: m5.filter.state, values: resultStates, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "reason", label: m5.reason, values: reasons, any: m5.any }),
      /* @__PURE__ */ a4(CheckFilter, { name: "trouble", label: m5.allRuns.trouble, about: m5.allRuns.troubleAbout }),
      /* @__PURE__ */ a4(MoreFilters, { names: ["worker_id", "longer_than_ms", "from", "until"], children: [
        /* @__PURE__ */ a4(TextFilter, { name: "worker_id", label: m5.allRuns.worker }),
        /* @__PURE__ */ a4(NumberFilter, { name: "longer_than_ms", label: m5.allRuns.longer }),
        /* @__PURE__ */ a4(TimeFilter, { name: "from", label: m5.allRuns.from }),
        /* @__PURE__ */ a4(TimeFilter, { name: "until", label: m5.allRuns.until })
      ] }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    operates && /* @__PURE__ */ a4(SelectPage, { names: names2, of: selection }),
    operates && /* @__PURE__ */ a4(SelectionBar, { chosen: plansOf(runs.filter((r4) => selection.has(runKey(r4)))), of: selection, filter: matching(), total: "ask", can, after: again }),
    /* @__PURE__ */ a4(Runs, { all: true, runs, select: operates ? selection : void 0, busy, empty: !refused && /* @__PURE__ */ a4(NoRuns, { sure: data?.complete !== false }) }),
    data && /* @__PURE__ */ a4(Searched, { page: data, says: m5.allRuns.lookedAt }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function NoRuns({ sure }) {
  const m5 = say.value;
  const set = filters.filter((name) => param(name));
  if (!sure) return null;
  if (set.length === 0) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.allRuns.none }),
      /* @__PURE__ */ a4(Command, { children: "stationmaster plan runs" }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"]), children: m5.pages.plans }) })
    ] });
  }
  const well = set.length === 1 && (set[0] === "trouble" || set[0] === "failed");
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: well ? m5.allRuns.noTrouble : m5.allRuns.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries([...set, "cursor", "before"].map((name) => [name, void 0]))), children: m5.withoutFilters }) })
  ] });
}

// app/callbacks.tsx
var station = "callback.>";
function Callbacks() {
  const m5 = say.value;
  const query2 = { text: param("text"), cursor: param("cursor"), limit: param("limit"), station, fields: "brief" };
  const [resource, again] = useResource(restPath(["plans"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.plans ?? [], nameOf2, m5.pages.callbacks);
  const operates = session.operates.value;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.callbacks, busy, children: [
    /* @__PURE__ */ a4("p", { class: "about", children: m5.callbacks.about }),
    /* @__PURE__ */ a4(Filters, { label: m5.callbacks.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(
      Table,
      {
        listed: true,
        name: m5.pages.callbacks,
        columns: operates ? [...m5.callbacks.columns, m5.columns.act] : m5.callbacks.columns,
        busy,
        empty: list.length === 0 && !refused && data?.complete !== false && /* @__PURE__ */ a4(None, {}),
        children: list.map((view) => /* @__PURE__ */ a4(Row, { view, operates, after: again }, nameOf2(view)))
      }
    ),
    data && /* @__PURE__ */ a4(Searched, { page: data, says: m5.plansLookedAt }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
var nameOf2 = ({ plan }) => `${plan.station}/${plan.plan_id}`;
function Row({ view, operates, after }) {
  const { plan, state } = view;
  const id = P2();
  const open3 = state.open?.[0];
  const last = open3?.last_error ?? state.inbox?.last_error;
  return /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { id, href: planPage(plan.station, plan.plan_id), children: visible(nameOf2(view)) }) }),
    /* @__PURE__ */ a4("td", { children: count(state.inbox?.length ?? 0) }),
    /* @__PURE__ */ a4("td", { children: last && /* @__PURE__ */ a4($, { children: [
      visible(last.error_info ?? ""),
      last.cut && "…",
      " ",
      /* @__PURE__ */ a4("div", { class: "about", children: /* @__PURE__ */ a4(When, { at: last.end_time }) })
    ] }) }),
    /* @__PURE__ */ a4("td", { children: count(open3?.errors ?? state.inbox?.errors ?? 0) }),
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(State, { of: state.status }),
      " ",
      /* @__PURE__ */ a4(When, { at: open3?.next_try ?? state.plan_time })
    ] }),
    operates && /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Verbs, { view, about: id, after }) })
  ] });
}
function Verbs({ view: { plan, state }, about, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2(false);
  const path = ["plans", plan.station, plan.plan_id];
  const name = visible(`${plan.station}/${plan.plan_id}`);
  const tryNow = async () => {
    try {
      await request("POST", restPath([...path, "trigger"]), {});
      announce(m5.callbacks.tried(name));
      after();
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  const giveUp = async () => {
    await request("DELETE", restPath(path));
    announce(m5.callbacks.givenUp(name));
    after();
  };
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    /* @__PURE__ */ a4("button", { type: "button", "aria-describedby": about, onClick: () => void tryNow(), children: m5.callbacks.tryNow }),
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", "aria-describedby": about, onClick: () => ask2(true), children: m5.callbacks.giveUp }),
    asking2 && /* @__PURE__ */ a4(Dialog, { title: `${m5.callbacks.giveUp} ${name}`, verb: m5.callbacks.giveUp, act: giveUp, close: () => ask2(false), danger: true, children: [
      /* @__PURE__ */ a4("p", { children: m5.callbacks.giveUpAbout(count(state.inbox?.length ?? 0)) }),
      /* @__PURE__ */ a4(Foresight, { of: { method: "DELETE", path, body: {} } })
    ] })
  ] });
}
function None() {
  const m5 = say.value;
  const text = param("text");
  if (text || param("cursor")) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.callbacks.noneFits(`text=${visible(text)}`) }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery({ text: void 0, cursor: void 0, before: void 0 }), children: m5.withoutFilters }) })
    ] });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.callbacks.none }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster plan ls 'callback.>'" })
  ] });
}

// app/shade.ts
function shadeOf(n3, most3) {
  return n3 === 0 ? 0 : Math.ceil(5 * Math.sqrt(n3 / most3));
}

// app/heat.tsx
var hours = Array.from({ length: 24 }, (_6, i4) => String(i4).padStart(2, "0"));
function Heat({ of, chosen }) {
  const m5 = say.value;
  const most3 = Math.max(0, ...of.cells.map((c4) => c4.count));
  const daily = of.step === "1d";
  const rows = /* @__PURE__ */ new Map();
  for (const cell of of.cells) {
    const day = cell.from.slice(0, 10);
    const row = daily ? mondayOf(day) : day;
    const column = daily ? String(weekdayOf(day)) : cell.from.slice(11, 13);
    const columns2 = rows.get(row) ?? rows.set(row, /* @__PURE__ */ new Map()).get(row);
    columns2.set(column, [...columns2.get(column) ?? [], cell]);
  }
  const columns = daily ? ["1", "2", "3", "4", "5", "6", "7"] : hours;
  const holds = (moment) => of.cells.find((cell, i4) => Date.parse(cell.from) <= moment && moment < endOf(of.cells, i4, daily));
  const picked = chosen ? holds(Date.parse(chosen)) : void 0;
  const present = holds(now.value);
  const first2 = picked ?? present ?? of.cells[0];
  return /* @__PURE__ */ a4("div", { class: daily ? "scroll heat days" : "scroll heat", role: "region", "aria-label": m5.pages.calendar, tabIndex: 0, children: /* @__PURE__ */ a4("table", { "aria-label": m5.pages.calendar, onKeyDown: move, children: [
    /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("th", { scope: "col", children: daily ? m5.calendar.week : m5.calendar.day }),
      columns.map((c4) => /* @__PURE__ */ a4("th", { scope: "col", children: daily ? weekday(Number(c4)) : c4 }, c4))
    ] }) }),
    /* @__PURE__ */ a4("tbody", { children: [...rows].map(([row, of2]) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("th", { scope: "row", children: daily ? row : dayOf(row) }),
      columns.map((c4) => /* @__PURE__ */ a4("td", { children: of2.get(c4)?.map((cell) => /* @__PURE__ */ a4(One, { of: cell, most: most3, present: cell === present, picked: cell === picked, first: cell === first2 }, cell.from)) }, c4))
    ] }, row)) })
  ] }) });
}
var endOf = (all3, i4, daily) => Date.parse(all3[i4 + 1]?.from ?? "") || Date.parse(all3[i4].from) + (daily ? 864e5 : 36e5);
var ways = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
function move(e4) {
  const cell = e4.target.closest("td");
  const way = ways[e4.key];
  if (!cell || !way || e4.ctrlKey || e4.metaKey || e4.altKey || e4.shiftKey) return;
  e4.preventDefault();
  const rows = cell.closest("tbody").rows;
  let [row, column] = [cell.parentElement.sectionRowIndex, cell.cellIndex];
  for (; ; ) {
    row += way[0];
    column += way[1];
    const next2 = rows[row]?.cells[column];
    if (!next2 || column === 0) return;
    const link = next2.querySelector("a");
    if (link) return link.focus();
  }
}
function One({ of, most: most3, present, picked, first: first2 }) {
  const m5 = say.value.calendar;
  const top = of.top.map((t4) => `${visible(t4.station)} ${count(t4.count)}`).join(", ");
  const whole = of.count < 1e3 ? top : `${count(of.count)}: ${top}`;
  return /* @__PURE__ */ a4(
    "a",
    {
      class: `shade-${shadeOf(of.count, most3)}${present ? " now" : ""}`,
      href: withQuery({ cell: of.from }),
      title: whole || void 0,
      tabIndex: first2 ? void 0 : -1,
      "aria-current": picked ? "true" : present ? "time" : void 0,
      children: [
        brief(of.count),
        of.notes.length > 0 && /* @__PURE__ */ a4("span", { class: "change", children: [
          /* @__PURE__ */ a4("span", { "aria-hidden": "true", children: "◆" }),
          /* @__PURE__ */ a4("span", { class: "unseen", children: m5.change })
        ] })
      ]
    }
  );
}
var brief = (n3) => n3 < 1e3 ? count(n3) : new Intl.NumberFormat(lang.now.value, { notation: "compact", maximumFractionDigits: n3 < 9950 ? 1 : 0 }).format(n3);
var dateOf = (day) => /* @__PURE__ */ new Date(`${day}T00:00:00Z`);
var weekdayOf = (day) => dateOf(day).getUTCDay() || 7;
var mondayOf = (day) => new Date(dateOf(day).getTime() - (weekdayOf(day) - 1) * 864e5).toISOString().slice(0, 10);
var inWords2 = (options2, day) => new Intl.DateTimeFormat(lang.now.value, { timeZone: "UTC", ...options2 }).format(day);
var weekday = (n3) => inWords2({ weekday: "short" }, new Date(Date.UTC(2024, 0, n3)));
var dayOf = (day) => `${inWords2({ weekday: "short" }, dateOf(day))} ${day.slice(5)}`;

// app/without.tsx
function Without({ query: query2 }) {
  const found = useSignal([]);
  A2(() => {
    found.value = [];
    const round2 = new AbortController();
    countWithout(query2, round2.signal).then((all3) => found.value = all3, () => {
    });
    return () => round2.abort();
  }, [JSON.stringify(query2)]);
  if (found.value.length === 0) return null;
  return /* @__PURE__ */ a4("ul", { children: found.value.map(({ name, total: total2 }) => /* @__PURE__ */ a4("li", { children: [
    /* @__PURE__ */ a4("a", { href: withQuery({ [name]: void 0, cursor: void 0 }), children: say.value.withoutFilter(`${name}=${visible([query2[name]].flat().join(","))}`) }),
    ": ",
    count(total2)
  ] }, name)) });
}
async function countWithout(query2, signal) {
  const all3 = [];
  for (const name of Object.keys(query2)) {
    const address = restPath(["plans"], { ...query2, [name]: void 0, fields: "brief", total: "true", limit: "1" });
    const { value } = await request("GET", address, void 0, { signal });
    if (value.total > 0) all3.push({ name, total: value.total });
  }
  return all3.sort((a5, b3) => b3.total - a5.total);
}

// app/plans.tsx
var statuses = ["queued", "executing", "retrying", "paused", "pending", "plan_error"];
var waits = ["worker", "claim", "room", "turn", "retry", "jitter", "lock", "person", "resume"];
var planTypes = ["none", "time", "second", "minute", "hour", "day", "week", "month", "cron"];
var filters2 = ["text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before", "order", "cursor", "limit"];
function listAddress() {
  const query2 = {};
  for (const name of filters2) query2[name] = place.value.searchParams.getAll(name);
  return restPath(["plans"], { ...query2, fields: "brief", runs: "20", words: lang.now.value });
}
function matching2() {
  const query2 = {};
  const filter = {};
  for (const name of filters2.filter((n3) => !["order", "cursor", "limit"].includes(n3))) {
    const given = place.value.searchParams.getAll(name).filter(Boolean);
    if (given.length === 0) continue;
    query2[name] = given;
    const words = given.flatMap((v5) => v5.split(",")).filter(Boolean);
    if (name === "labels") filter[name] = Object.fromEntries(words.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
    else filter[name] = name === "status" || name === "waits" ? words : given[0];
  }
  return { query: query2, filter };
}
function Plans() {
  const m5 = say.value;
  const [resource, again] = useResource(listAddress(), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.plans ?? [], keyOf, m5.pages.plans);
  const names2 = list.map(keyOf);
  const operates = session.operates.value;
  const selection = useSelection(names2, operates);
  const match = matching2();
  const total2 = useTotal(match.query, operates && selection.names.size > 0);
  const chosen = list.filter((one) => selection.has(keyOf(one))).map(({ plan, state }) => ({ station: plan.station, plan_id: plan.plan_id, state }));
  return /* @__PURE__ */ a4(Page, { title: m5.pages.plans, busy, aside: operates && /* @__PURE__ */ a4("a", { class: "button primary", href: pageOf(["plans", "new"]), children: m5.newPlan }), children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterPlans, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: statuses, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "waits", label: m5.filter.waits, values: waits, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "plan_type", label: m5.filter.plan_type, values: planTypes, any: m5.any }),
      /* @__PURE__ */ a4(TextFilter, { name: "labels", label: m5.filter.labels }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "order", label: m5.filter.order, values: ["due"], any: m5.byName }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    operates && /* @__PURE__ */ a4(SelectPage, { names: names2, of: selection }),
    operates && /* @__PURE__ */ a4(SelectionBar, { chosen, of: selection, filter: match.filter, total: total2, can: manyVerbs, after: again }),
    /* @__PURE__ */ a4(Table, { listed: true, name: m5.pages.plans, columns: m5.columns.plans, busy, empty: list.length === 0 && !refused && data?.complete !== false && /* @__PURE__ */ a4(NoPlans, {}), children: list.map((one) => /* @__PURE__ */ a4(Row2, { one, selection: operates ? selection : void 0 }, keyOf(one))) }),
    data && /* @__PURE__ */ a4(Searched, { page: data, says: m5.plansLookedAt }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
var keyOf = ({ plan }) => `${plan.station}/${plan.plan_id}`;
function Row2({ one, selection }) {
  const m5 = say.value;
  const { plan, state, runs, words } = one;
  return /* @__PURE__ */ a4("tr", { "data-name": keyOf(one), children: [
    /* @__PURE__ */ a4("td", { children: [
      selection && /* @__PURE__ */ a4(SelectRow, { name: keyOf(one), of: selection }),
      /* @__PURE__ */ a4(PlanLink, { station: plan.station, id: plan.plan_id, known: one.known_as }),
      plan.description && plan.description !== one.known_as && /* @__PURE__ */ a4("div", { class: "about", children: visible(plan.description) })
    ] }),
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(State, { of: state.status }),
      state.waits && /* @__PURE__ */ a4("div", { class: "about", children: m5.waitsFor(state.waits.for) })
    ] }),
    /* @__PURE__ */ a4("td", { children: words && visible(words) }),
    /* @__PURE__ */ a4("td", { children: state.status !== "paused" && /* @__PURE__ */ a4(When, { at: state.plan_time, zone: plan.timezone }) }),
    /* @__PURE__ */ a4("td", { children: runs && /* @__PURE__ */ a4(RunBars, { bars: barsOf(runs) }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Labels, { of: plan.labels }) })
  ] });
}
function NoPlans() {
  const m5 = say.value;
  const set = filters2.filter((name) => param(name) && name !== "order" && name !== "limit");
  if (set.length > 0) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.noPlanFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
      /* @__PURE__ */ a4(Without, { query: matching2().query }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries(set.map((name) => [name, void 0]))), children: m5.withoutFilters }) })
    ] });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noPlans }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster plan create --station hello --command greet --type second --value 5 --repet -1" }),
    /* @__PURE__ */ a4(Command, { children: `nats req plans.create '{"station":"hello","command":"greet","plan_type":"second","plan_value":5,"plan_repet":-1}'` }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster work --station hello -- echo hello" }),
    session.operates.value && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans", "new"], { station: "hello", command: "greet", plan_type: "cron", cron: "*/5 * * * *" }), children: m5.firstPlan }) })
  ] });
}

// app/calendar.tsx
var filters3 = ["text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before"];
var everyMinute = 6e4;
function Calendar() {
  const m5 = say.value;
  const zone = param("zone") || (tz.now.value === "browser" ? browserZone : void 0);
  const query2 = Object.fromEntries(filters3.map((name) => [name, place.value.searchParams.getAll(name)]));
  const step = param("step") || void 0;
  const chosen = { ...query2, step, from: param("from"), until: param("until"), zone, lang: lang.now.value };
  const [resource, again] = useSoonThenAll(["calendar"], chosen, (due) => due.sampled, true);
  A2(() => {
    const timer = setInterval(() => updates.due() && again(), everyMinute);
    return () => clearInterval(timer);
  }, [restPath(["calendar"], chosen)]);
  const { data, refused, busy } = resource.value;
  const none3 = data?.plans === 0 && !data.sampled;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.calendar, busy: busy && !data, children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterPlans, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: statuses, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "plan_type", label: m5.filter.plan_type, values: planTypes, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "step", label: m5.calendar.step, values: ["1d"], any: m5.calendar.byHour }),
      /* @__PURE__ */ a4(MoreFilters, { names: ["labels", "from", "zone"], children: [
        /* @__PURE__ */ a4(TextFilter, { name: "labels", label: m5.filter.labels }),
        /* @__PURE__ */ a4(TimeFilter, { name: "from", label: m5.allRuns.from }),
        /* @__PURE__ */ a4(TextFilter, { name: "zone", label: m5.fields.timezone })
      ] })
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    data && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Found, { of: data }),
      /* @__PURE__ */ a4(Heat, { of: data, chosen: param("cell") }),
      none3 && /* @__PURE__ */ a4(NoPlans, {}),
      /* @__PURE__ */ a4(Weeks, { of: data }),
      /* @__PURE__ */ a4(ClockChanges, { of: data.cells })
    ] }),
    param("cell") && /* @__PURE__ */ a4(Cell, { address: restPath(["calendar"], { ...query2, step, cell: param("cell"), zone, lang: lang.now.value }) })
  ] });
}
function Found({ of }) {
  const m5 = say.value.calendar;
  return /* @__PURE__ */ a4("p", { class: "about", children: [
    m5.found(count(of.cells.reduce((sum3, c4) => sum3 + c4.count, 0)), count(of.plans), visible(of.zone)),
    of.sampled && ` ${m5.sampled}`
  ] });
}
function Weeks({ of: { cells, step } }) {
  const m5 = say.value.calendar;
  const last = cells.at(-1);
  if (!last) return null;
  const behind2 = new Date(Date.parse(last.from) + (step === "1d" ? 864e5 : 36e5)).toISOString().replace(".000Z", "Z");
  return /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.times, children: [
    param("from") && /* @__PURE__ */ a4("a", { href: withQuery({ from: void 0, until: void 0, cell: void 0 }), children: m5.now }),
    /* @__PURE__ */ a4("a", { href: withQuery({ from: behind2, until: void 0, cell: void 0 }), children: m5.later })
  ] });
}
function ClockChanges({ of }) {
  const m5 = say.value;
  const all3 = of.flatMap((cell) => cell.notes.map((note) => ({ cell, note })));
  if (all3.length === 0) return null;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.calendar.changes }),
    /* @__PURE__ */ a4(Table, { name: m5.calendar.changes, columns: m5.columns.clocks, children: all3.map(({ cell, note }) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: withQuery({ cell: cell.from }), children: momentOf(cell.from) }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: count(note.plans) }),
      /* @__PURE__ */ a4("td", { children: visible(note.text) })
    ] }, cell.from + note.text)) })
  ] });
}
var momentOf = (from) => `${from.slice(0, 10)} ${from.slice(11, 16)} ${from.slice(19)}`;
function Cell({ address }) {
  const m5 = say.value;
  const [resource] = useResource(address, true, true);
  const { data, refused, busy } = resource.value;
  const cell = data?.cells[0];
  const items = data?.items ?? [];
  return /* @__PURE__ */ a4("section", { class: "part cell", "aria-busy": busy ? "true" : void 0, "aria-label": m5.calendar.chosen, children: [
    /* @__PURE__ */ a4("h2", { children: [
      m5.calendar.chosen,
      " ",
      cell && /* @__PURE__ */ a4("time", { dateTime: new Date(cell.from).toISOString(), children: momentOf(cell.from) })
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    cell && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { children: m5.calendar.inCell(count(cell.count)) }),
      cell.top.length > 1 && /* @__PURE__ */ a4("ul", { class: "top", children: cell.top.map(({ station: station3, count: n3 }) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: withQuery({ station: station3 }), children: [
        visible(station3),
        " ",
        /* @__PURE__ */ a4("b", { children: count(n3) })
      ] }) }, station3)) }),
      /* @__PURE__ */ a4(Table, { listed: true, name: m5.calendar.plans, columns: m5.columns.inCell, figures: 3, empty: items.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.calendar.nothing }), children: items.map((i4) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(PlanLink, { station: i4.station, id: i4.plan_id }) }),
        /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: i4.first, zone: data.zone }) }),
        /* @__PURE__ */ a4("td", { class: "number", children: count(i4.count) })
      ] }, `${i4.station}/${i4.plan_id}`)) }),
      data.left_out && /* @__PURE__ */ a4("p", { class: "about", children: m5.calendar.leftOut(count(data.left_out)) })
    ] }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery({ cell: void 0 }), children: m5.calendar.close }) })
  ] });
}

// app/bytes.ts
var units = ["B", "KiB", "MiB", "GiB", "TiB"];
function size(bytes) {
  const i4 = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${new Intl.NumberFormat(lang.now.value, { maximumFractionDigits: i4 ? 1 : 0 }).format(bytes / 1024 ** i4)} ${units[i4]}`;
}

// app/partitions.tsx
function Partitions({ of, busy }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.overview.partitions, columns: m5.columns.partitions, busy, figures: 3, children: of.map((p5) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: p5.partition }),
    /* @__PURE__ */ a4("td", { children: p5.leader ? visible(p5.leader) : /* @__PURE__ */ a4("span", { class: "state error", children: m5.overview.noLeader }) }),
    /* @__PURE__ */ a4("td", { class: "number", children: p5.epoch }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(p5.plans) }),
    /* @__PURE__ */ a4("td", { class: "number", children: p5.overdue > 0 ? duration(p5.overdue * 1e3) : "–" }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(p5.journal_sequence) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(p5.checkpoint) })
  ] }, p5.partition)) });
}

// app/cluster.tsx
function Cluster() {
  const m5 = say.value;
  const [nodes] = useResource(restPath(["nodes"]), true);
  const [partitions] = useResource(restPath(["partitions"]), true);
  const [streams] = useResource(restPath(["streams"]), true);
  const refused = nodes.value.refused ?? partitions.value.refused ?? streams.value.refused;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.cluster, busy: nodes.value.busy, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4("section", { class: "part", children: [
      /* @__PURE__ */ a4("h2", { children: m5.cluster.nodes }),
      /* @__PURE__ */ a4(Nodes, { of: nodes.value.data?.nodes ?? [], busy: nodes.value.busy }),
      /* @__PURE__ */ a4(Clock2, {})
    ] }),
    /* @__PURE__ */ a4("section", { class: "part", children: [
      /* @__PURE__ */ a4("h2", { children: m5.overview.partitions }),
      /* @__PURE__ */ a4(Partitions, { of: partitions.value.data?.partitions ?? [], busy: partitions.value.busy })
    ] }),
    /* @__PURE__ */ a4("section", { class: "part", children: [
      /* @__PURE__ */ a4("h2", { children: m5.cluster.streams }),
      /* @__PURE__ */ a4(Streams, { of: streams.value.data?.streams ?? [], busy: streams.value.busy })
    ] })
  ] });
}
function Nodes({ of, busy }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.cluster.nodes, columns: m5.columns.nodes, busy, children: of.map((n3) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: [
      visible(n3.node),
      n3.gone && /* @__PURE__ */ a4("div", { class: "about", children: m5.cluster.stops })
    ] }),
    /* @__PURE__ */ a4("td", { children: n3.leads.length > 0 ? n3.leads.join(", ") : "–" }),
    /* @__PURE__ */ a4("td", { children: n3.version && visible(n3.version) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: n3.since }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: n3.seen }) })
  ] }, n3.process)) });
}
function Clock2() {
  const m5 = say.value.cluster;
  const { by } = session.clock.value;
  const within = Math.ceil(session.clock.value.within) + 2;
  const node = visible(session.current.value?.node ?? "");
  const margin = duration(within);
  if (Math.abs(by) <= within) return /* @__PURE__ */ a4("p", { class: "about", children: m5.sameClock(node, margin) });
  return /* @__PURE__ */ a4("p", { class: "about", children: (by > 0 ? m5.clockAhead : m5.clockBehind)(node, duration(Math.abs(by)), margin) });
}
function Streams({ of, busy }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.cluster.streams, columns: m5.columns.streams, busy, figures: 3, children: of.map((s4) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: visible(s4.name) }),
    /* @__PURE__ */ a4("td", { children: m5.cluster.kinds[s4.kind] ?? visible(s4.kind) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(s4.messages) }),
    /* @__PURE__ */ a4("td", { class: "number", children: size(s4.bytes) }),
    /* @__PURE__ */ a4("td", { class: "number", children: s4.max_bytes ? /* @__PURE__ */ a4($, { children: [
      size(s4.max_bytes),
      " ",
      /* @__PURE__ */ a4("span", { class: "about", children: share(s4.bytes / s4.max_bytes) })
    ] }) : "–" }),
    /* @__PURE__ */ a4("td", { class: "number", children: s4.replicas })
  ] }, `${s4.kind} ${s4.name}`)) });
}
var share = (of) => new Intl.NumberFormat(lang.now.value, { style: "percent", maximumFractionDigits: of < 0.1 ? 1 : 0 }).format(of);

// app/help.tsx
var article = document.getElementById("article");
var title = document.querySelector("h1")?.textContent ?? "";
var at = location.pathname;
article?.remove();
document.querySelector("main")?.remove();
var noHelp = () => !article && place.value.pathname === at;
function Help() {
  const m5 = say.value;
  const within = T2(null);
  const here2 = place.value.pathname === at;
  const first2 = at.replace(/\/$/, "") === `${base}/ui/help`;
  A2(() => {
    if (!here2) return location.reload();
    within.current.append(article);
    if (place.value.hash) document.getElementById(decodeURIComponent(place.value.hash.slice(1)))?.scrollIntoView();
  }, [here2]);
  return /* @__PURE__ */ a4(Page, { title: first2 ? m5.pages.help : title, busy: !here2, children: [
    !first2 && /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["help"]), children: m5.pages.help }) }),
    /* @__PURE__ */ a4("div", { ref: within })
  ] });
}

// app/fields.ts
var units2 = ["second", "minute", "hour", "day"];
var named = ["week", "month", "cron"];
var repeated = [...units2, ...named];
var calendar = ["time", ...repeated];
var groups = [
  {
    name: "what",
    fields: [
      { name: "station", kind: "text", fixed: true },
      { name: "plan_id", kind: "text", fixed: true },
      { name: "command", kind: "text" },
      { name: "messages", kind: "json" },
      { name: "description", kind: "text" }
    ]
  },
  {
    name: "when",
    fields: [
      { name: "plan_type", kind: "choice", values: ["none", "time", ...units2, ...named] },
      { name: "cron", kind: "text", types: ["cron"] },
      { name: "plan_value", kind: "number", types: [...units2, "week", "month"] },
      { name: "plan_time", kind: "time", types: ["time", ...units2, "week", "month"] },
      { name: "timezone", kind: "zone", types: ["time", ...repeated] },
      { name: "plan_repet", kind: "number", types: repeated },
      { name: "jitter", kind: "number", types: calendar },
      { name: "paused", kind: "yes" }
    ]
  },
  {
    name: "clock",
    fields: [
      { name: "start_at", kind: "time", types: repeated },
      { name: "end_at", kind: "time", types: repeated },
      { name: "exclude", kind: "list", types: calendar },
      { name: "only", kind: "list", types: calendar },
      { name: "excluded", kind: "choice", values: ["skip", "next", "previous"], types: calendar },
      { name: "clock_change.gap", kind: "choice", values: ["after", "before", "shift", "skip"], types: named },
      { name: "clock_change.overlap", kind: "choice", values: ["first", "second", "both"], types: named }
    ]
  },
  {
    name: "order",
    fields: [
      { name: "overlap", kind: "choice", values: ["skip", "queue", "cancel_prev", "parallel", "allow"] },
      { name: "failure", kind: "choice", values: ["run_new", "skip", "retry"] },
      { name: "max_concurrency", kind: "number" },
      { name: "concurrency", kind: "choice", values: ["queue", "skip", "parallel"] },
      { name: "catch_up", kind: "choice", values: ["none", "compact", "full"] },
      { name: "no_keep", kind: "yes" }
    ]
  },
  {
    name: "retries",
    fields: [
      { name: "retry.strategy", kind: "choice", values: ["none", "fixed_period", "sequence", "exponential"] },
      { name: "retry.interval", kind: "number" },
      { name: "retry.sequence", kind: "list" },
      { name: "retry.max_interval", kind: "number" },
      { name: "retry.max_error_count", kind: "number" },
      { name: "retry.jitter", kind: "number" },
      { name: "retry.need_manual", kind: "yes" },
      { name: "exec_timeout", kind: "number" },
      { name: "start_timeout", kind: "number" },
      { name: "on_unknown", kind: "choice", values: ["redo", "skip", "hold"] },
      { name: "on_failure", kind: "choice", values: ["halt", "settle"] }
    ]
  },
  {
    name: "workers",
    fields: [
      { name: "worker_ids", kind: "list" },
      { name: "worker_count", kind: "number" },
      { name: "priority", kind: "number" },
      { name: "voters", kind: "number" },
      { name: "quorum", kind: "number" },
      { name: "ping_interval_ms", kind: "number" },
      { name: "ping_timeout_ms", kind: "number" },
      { name: "max_unexpected_retries", kind: "number" },
      { name: "unexpected_retry_delay_ms", kind: "number" }
    ]
  },
  {
    name: "about",
    fields: [
      { name: "labels", kind: "json" },
      { name: "category", kind: "text" },
      { name: "tenant_id", kind: "text" },
      { name: "caller", kind: "text" },
      { name: "creator", kind: "text" },
      { name: "request_id", kind: "text" },
      { name: "log", kind: "choice", values: ["none", "trigger", "full"] },
      { name: "ext", kind: "json" }
    ]
  }
];
var fields = groups.flatMap((g5) => g5.fields);
var zoneOf = (typed) => typed.timezone || "UTC";
var keepsZone = (typed) => named.includes(typed.plan_type) || !!typed.exclude || !!typed.only;
var shows = (f5, typed) => !f5.types || f5.types.includes(typed.plan_type || "none");
function typedOf(plan) {
  const typed = {};
  const zone = typeof plan.timezone === "string" ? plan.timezone : "UTC";
  for (const f5 of fields) {
    const value = memberOf(plan, f5.name);
    if (value === void 0 || value === null) continue;
    typed[f5.name] = textOf(f5, value, zone);
  }
  return typed;
}
function memberOf(plan, name) {
  return name.split(".").reduce((of, part) => of?.[part], plan);
}
function textOf(f5, value, zone) {
  switch (f5.kind) {
    case "json":
      return formatJson(value, 1);
    case "list":
      return Array.isArray(value) ? value.join(", ") : String(value);
    case "time":
      return localInput(typeof value === "number" ? new Date(value * 1e3).toISOString() : String(value), zone);
    default:
      return String(value);
  }
}
function planOf(typed, faults, notJson) {
  const plan = {};
  for (const f5 of fields) {
    const text = (typed[f5.name] ?? "").trim();
    if (text === "" || !shows(f5, typed) || f5.name === "timezone" && !keepsZone(typed)) continue;
    try {
      put(plan, f5.name, valueOf2(f5, text, zoneOf(typed)));
    } catch {
      faults[f5.name] = notJson;
    }
  }
  return plan;
}
function put(into, name, value) {
  const [outer, ...inner] = name.split(".");
  if (inner.length === 0) into[outer] = value;
  else put(into[outer] = { ...into[outer] }, inner.join("."), value);
}
function valueOf2(f5, text, zone) {
  const number = (t4) => Number.isNaN(Number(t4)) ? t4 : Number(t4);
  switch (f5.kind) {
    case "json":
      return parseJson(text);
    case "number":
      return number(text);
    case "list": {
      const all3 = text.split(/[,\n]/).map((t4) => t4.trim()).filter(Boolean);
      return f5.name.endsWith("sequence") ? all3.map(number) : all3;
    }
    case "time":
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? instantOf(text, zone) : text;
    case "yes":
      return text === "true";
    default:
      return text;
  }
}

// app/value.tsx
function Value({ of, name, open: open3 = true }) {
  const label = name === void 0 ? null : /* @__PURE__ */ a4("span", { class: "key", children: [
    visible(name),
    ": "
  ] });
  if (of === null || typeof of !== "object") return /* @__PURE__ */ a4("div", { class: "value", children: [
    label,
    /* @__PURE__ */ a4(Scalar, { of })
  ] });
  const members = Array.isArray(of) ? of.map((v5, i4) => [String(i4), v5]) : Object.entries(of);
  if (members.length === 0) return /* @__PURE__ */ a4("div", { class: "value", children: [
    label,
    Array.isArray(of) ? "[]" : "{}"
  ] });
  return /* @__PURE__ */ a4("details", { class: "value", open: open3 && members.length <= 20, children: [
    /* @__PURE__ */ a4("summary", { children: [
      label,
      Array.isArray(of) ? `[${members.length}]` : `{${members.length}}`
    ] }),
    members.slice(0, 500).map(([key, value]) => /* @__PURE__ */ a4(Value, { of: value, name: key, open: false }, key)),
    members.length > 500 && /* @__PURE__ */ a4("div", { children: "…" })
  ] });
}
function Scalar({ of }) {
  if (typeof of !== "string") return /* @__PURE__ */ a4("code", { class: of === null ? "null" : typeof of, children: formatJson(of) });
  return of.includes("\n") ? /* @__PURE__ */ a4("pre", { children: visibleLines(of) }) : /* @__PURE__ */ a4("code", { class: "string", children: visible(of) });
}

// app/counts.tsx
var countsOf = (by, href) => Object.entries(by).map(([word, n3]) => ({ word, n: n3, href: href(word) })).sort((a5, b3) => b3.n - a5.n || (a5.word < b3.word ? -1 : 1));
function Counts({ title: title2, total: total2, of, show }) {
  return /* @__PURE__ */ a4("section", { class: "tile", children: [
    /* @__PURE__ */ a4("h2", { children: title2 }),
    total2 !== void 0 && /* @__PURE__ */ a4("p", { class: "total", children: total2 }),
    of.length === 0 && total2 === void 0 && /* @__PURE__ */ a4("p", { class: "about", children: say.value.overview.none }),
    /* @__PURE__ */ a4("ul", { children: of.map(({ word, n: n3, href }) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href, children: [
      show(word),
      " ",
      /* @__PURE__ */ a4("b", { children: count(n3) })
    ] }) }, word)) })
  ] });
}

// app/summaries.ts
var most2 = 5e3;
var nothing = { lines: [], shown: 0, leftOut: 0 };
function useSummaries(address) {
  const followed = useSignal({ busy: true, ...nothing });
  A2(() => {
    followed.value = { ...nothing, busy: true };
    let next2 = 0;
    let gap;
    let round2;
    let timer = 0;
    const add = (lines, more) => {
      followed.value = { ...followed.value, ...more, lines: [...lines, ...followed.value.lines].slice(0, most2) };
    };
    const take = (event, data) => {
      if (event === "missed") gap = "missed";
      if (event !== "summary") return;
      const s4 = parseJson(data);
      const before = followed.value;
      const lines = [];
      if (gap && before.lines.length > 0) lines.push({ key: next2++, gap });
      gap = void 0;
      for (const item of s4.items) lines.push({ key: next2++, item });
      if (s4.left_out > 0) lines.push({ key: next2++, leftOut: s4.left_out, at: s4.time });
      add(lines.reverse(), { last: s4, shown: before.shown + s4.items.length, leftOut: before.leftOut + s4.left_out });
    };
    const began = () => followed.value = { ...followed.value, busy: false, refused: void 0 };
    const follow2 = async () => {
      clearTimeout(timer);
      if (round2 || !updates.due()) return;
      const mine = round2 = new AbortController();
      try {
        await readStream(address, mine.signal, { began, take });
      } catch (e4) {
        if (!mine.signal.aborted) followed.value = { ...followed.value, busy: false, refused: e4 instanceof Refusal && e4.status !== 401 ? e4 : void 0 };
      }
      if (round2 !== mine) return;
      round2 = void 0;
      gap = "gap";
      timer = window.setTimeout(follow2, 2e3);
    };
    const heed = () => {
      if (updates.due()) return void follow2();
      clearTimeout(timer);
      if (round2) gap = "gap";
      round2?.abort();
      round2 = void 0;
      followed.value = { ...followed.value, busy: false, last: void 0 };
    };
    heed();
    document.addEventListener("visibilitychange", heed);
    const unpaused = updates.paused.subscribe(heed);
    const back2 = reconnected.subscribe(heed);
    return () => {
      document.removeEventListener("visibilitychange", heed);
      unpaused();
      back2();
      clearTimeout(timer);
      round2?.abort();
      round2 = void 0;
    };
  }, [address]);
  return [followed, () => followed.value = { ...followed.value, ...nothing }];
}

// app/live.tsx
var kinds = [
  "result",
  "created",
  "updated",
  "dispatched",
  "running",
  "waiting",
  "not_worker",
  "timeout",
  "retrying",
  "skipped",
  "paused",
  "resumed",
  "rescheduled",
  "closed",
  "removed",
  "plan_error",
  "not_called_back"
];
var eventKinds = kinds.filter((k5) => k5 !== "result");
var filters4 = ["station", "plan_id", "kind", "state"];
function Live() {
  const m5 = say.value;
  const query2 = Object.fromEntries(filters4.map((name) => [name, place.value.searchParams.getAll(name)]));
  const [resource, clear] = useSummaries(restPath(["events"], { summary: "1s", sample: "50", ...query2 }));
  const followed = resource.value;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.live, busy: followed.busy, children: [
    /* @__PURE__ */ a4(Filters, { label: m5.live.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      /* @__PURE__ */ a4(TextFilter, { name: "plan_id", label: m5.live.plan }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "kind", label: m5.live.kind, values: kinds, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "state", label: m5.filter.state, values: resultStates, any: m5.any })
    ] }),
    /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
      /* @__PURE__ */ a4("button", { type: "button", "aria-pressed": updates.paused.value, onClick: updates.toggle, children: m5.live.pause }),
      /* @__PURE__ */ a4("button", { type: "button", onClick: () => (clear(), announce(m5.live.cleared)), children: m5.live.clear }),
      /* @__PURE__ */ a4("button", { type: "button", onClick: () => download(followed.lines), children: m5.live.download })
    ] }),
    followed.refused && /* @__PURE__ */ a4(Refused, { by: followed.refused }),
    /* @__PURE__ */ a4("p", { class: "about", children: [
      followed.last && `${m5.live.rate(count(sum(followed.last.results)), count(sum(followed.last.events)))} `,
      m5.live.since(count(followed.shown), count(followed.leftOut)),
      updates.paused.value && ` ${m5.live.notFollowing}`
    ] }),
    /* @__PURE__ */ a4(Lines, { name: m5.pages.live, of: followed.lines }, place.value.search),
    followed.lines.length === 0 && !followed.busy && !followed.refused && /* @__PURE__ */ a4(Nothing, {}),
    /* @__PURE__ */ a4(LastSecond, { of: followed })
  ] });
}
var sum = (of = {}) => Object.values(of).reduce((a5, b3) => a5 + b3, 0);
function LastSecond({ of: { last } }) {
  const m5 = say.value.live;
  const stations = Object.fromEntries((last?.stations ?? []).slice(0, 4).map((s4) => [s4.station, sum(s4.results)]));
  const rate = (of) => last ? count(sum(of)) : "–";
  const filtered = (name) => (value) => withQuery({ [name]: value });
  return /* @__PURE__ */ a4("section", { "aria-label": m5.happened, children: [
    /* @__PURE__ */ a4("h2", { children: m5.happened }),
    /* @__PURE__ */ a4("div", { class: "tiles live-tiles", children: [
      /* @__PURE__ */ a4(Counts, { title: m5.results, total: rate(last?.results), of: countsOf(last?.results ?? {}, filtered("state")), show: (s4) => /* @__PURE__ */ a4(State, { of: s4 }) }),
      /* @__PURE__ */ a4(Counts, { title: m5.events, total: rate(last?.events), of: countsOf(last?.events ?? {}, filtered("kind")).slice(0, 6), show: visible }),
      /* @__PURE__ */ a4(Counts, { title: m5.stations, of: countsOf(stations, filtered("station")), show: visible })
    ] })
  ] });
}
var around = 10;
function Lines({ name, of }) {
  const m5 = say.value;
  const region = T2(null);
  const shown4 = T2([]);
  const [at2, setAt] = d2({ top: 0, row: 36, height: 480 });
  const held = shown4.current.length > 0 && of.length > 0 && !!region.current && (region.current.scrollTop > 0 || region.current.matches(":hover, :focus-within"));
  if (!held) shown4.current = of;
  const lines = shown4.current;
  const fresh = (of[0]?.key ?? -1) - (lines[0]?.key ?? -1);
  const measure = () => {
    const box = region.current;
    const row = box.querySelector("tbody tr.line")?.getBoundingClientRect().height || at2.row;
    const now2 = { top: box.scrollTop, row, height: box.clientHeight };
    if (now2.top !== at2.top || now2.row !== at2.row || now2.height !== at2.height) setAt(now2);
  };
  F2(measure);
  const first2 = Math.max(0, Math.floor(at2.top / at2.row) - around);
  const last = Math.min(lines.length, Math.ceil((at2.top + at2.height) / at2.row) + around);
  const takeIn = () => {
    shown4.current = of;
    region.current.scrollTop = 0;
    measure();
    setAt({ ...at2, top: 0 });
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: "fresh-rows", children: held && /* @__PURE__ */ a4(NewRows, { n: fresh, show: takeIn }) }),
    /* @__PURE__ */ a4("div", { class: "scroll live", ref: region, role: "region", "aria-label": name, tabIndex: 0, onScroll: measure, children: /* @__PURE__ */ a4("table", { "aria-label": name, "aria-rowcount": lines.length + 1, children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { "aria-rowindex": 1, children: m5.columns.live.map((c4) => /* @__PURE__ */ a4("th", { scope: "col", children: c4 }, c4)) }) }),
      /* @__PURE__ */ a4("tbody", { children: [
        /* @__PURE__ */ a4(Space, { rows: first2, height: at2.row }),
        lines.slice(first2, last).map((line, i4) => /* @__PURE__ */ a4(Row3, { of: line, index: first2 + i4 + 2 }, line.key)),
        /* @__PURE__ */ a4(Space, { rows: lines.length - last, height: at2.row })
      ] })
    ] }) })
  ] });
}
function Space({ rows, height: height3 }) {
  return rows > 0 ? /* @__PURE__ */ a4("tr", { class: "space", "aria-hidden": "true", children: /* @__PURE__ */ a4("td", { colSpan: 6, style: { height: `${rows * height3}px` } }) }) : null;
}
function Row3({ of, index }) {
  const m5 = say.value.live;
  if (!("item" in of)) {
    return /* @__PURE__ */ a4("tr", { class: "line left-out", "aria-rowindex": index, children: /* @__PURE__ */ a4("td", { colSpan: 6, children: "gap" in of ? m5[of.gap] : /* @__PURE__ */ a4($, { children: [
      "… ",
      m5.leftOut(count(of.leftOut)),
      " ",
      /* @__PURE__ */ a4(When, { at: of.at, bare: true })
    ] }) }) });
  }
  const it = of.item;
  const text = (name) => it[name] === void 0 ? "" : String(it[name]);
  return /* @__PURE__ */ a4("tr", { class: "line", "aria-rowindex": index, children: [
    /* @__PURE__ */ a4("td", { title: visible(`${it.station}/${it.plan_id}`), children: /* @__PURE__ */ a4(PlanLink, { station: it.station, id: it.plan_id }) }),
    /* @__PURE__ */ a4("td", { children: it.n !== void 0 && /* @__PURE__ */ a4("a", { href: runPage(it.station, it.plan_id, Number(it.n)), children: text("n") }) }),
    /* @__PURE__ */ a4("td", { children: [
      it.kind === void 0 ? /* @__PURE__ */ a4(State, { of: text("state") }) : visible(text("kind")),
      Number(it.count ?? 0) > 1 && /* @__PURE__ */ a4("span", { class: "about", children: [
        " × ",
        count(Number(it.count))
      ] })
    ] }),
    /* @__PURE__ */ a4("td", { children: visible(text("reason")) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: text("time") || text("end_time") || text("plan_time"), bare: true }) }),
    /* @__PURE__ */ a4("td", { title: visible(text("worker_id")), children: visible(text("worker_id")) })
  ] });
}
function Nothing() {
  const m5 = say.value;
  const set = filters4.filter((name) => param(name));
  if (set.length > 0) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.live.nothingFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries(set.map((name) => [name, void 0]))), children: m5.withoutFilters }) })
    ] });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.live.nothing }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster plan create --station hello --command greet --type second --value 5 --repet -1" }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"]), children: m5.pages.plans }) })
  ] });
}
function download(lines) {
  const items = lines.flatMap((line) => "item" in line ? [formatJson(line.item) + "\n"] : []).reverse();
  const address = URL.createObjectURL(new Blob(items, { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "live.ndjson";
  link.click();
  URL.revokeObjectURL(address);
  announce(say.value.live.downloaded(count(items.length)));
}

// app/plan-events.tsx
function Events({ station: station3, id }) {
  const m5 = say.value;
  const [resource] = useSummaries(restPath(["events"], { summary: "1s", sample: "50", station: station3, plan_id: id, kind: eventKinds }));
  const { refused, shown: shown4, leftOut, lines, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", "aria-busy": busy, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4("p", { class: "about", children: m5.live.since(count(shown4), count(leftOut)) }),
    /* @__PURE__ */ a4(Lines, { name: m5.tabs.events, of: lines }),
    lines.length === 0 && !busy && !refused && /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: m5.live.nothing }) })
  ] });
}

// app/plan.tsx
var tabs = ["runs", "upcoming", "definition", "events"];
function Plan({ station: station3, id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["plans", station3, id]));
  const { data: view, refused, busy } = resource.value;
  const zone = view?.plan.timezone;
  const tab = tabs.find((t4) => t4 === param("tab")) ?? "runs";
  return /* @__PURE__ */ a4(Page, { title: visible(`${station3}/${id}`), busy, aside: view && /* @__PURE__ */ a4(State, { of: view.state.status }), children: [
    view && /* @__PURE__ */ a4(Actions, { view, after: again }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4(Gone, { station: station3, id }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    view && /* @__PURE__ */ a4(Header, { view, zone }),
    /* @__PURE__ */ a4(Why, { station: station3, id, zone }),
    view && /* @__PURE__ */ a4(Open, { view, zone, after: again }),
    /* @__PURE__ */ a4("nav", { class: "tabs", "aria-label": m5.parts, children: tabs.map((t4) => /* @__PURE__ */ a4("a", { href: planPage(station3, id, { tab: t4 === "runs" ? void 0 : t4 }), "aria-current": t4 === tab ? "page" : void 0, children: m5.tabs[t4] }, t4)) }),
    tab === "runs" && /* @__PURE__ */ a4(RunsTab, { station: station3, id, zone, gone: refused?.status === 404 }),
    tab === "upcoming" && view && /* @__PURE__ */ a4(Upcoming, { station: station3, id, zone }),
    tab === "definition" && view && /* @__PURE__ */ a4(Definition, { plan: view.plan }),
    tab === "events" && view && /* @__PURE__ */ a4(Events, { station: station3, id })
  ] });
}
function Gone({ station: station3, id }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noSuchPlan }),
    session.operates.value && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans", "new"], { station: station3, plan_id: id }), children: m5.makeIt }) })
  ] });
}
function Header({ view: { plan, state }, zone }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    plan.description && /* @__PURE__ */ a4(Fact, { name: m5.fields.description, children: visible(String(plan.description)) }),
    /* @__PURE__ */ a4(Fact, { name: m5.columns.plans[2], children: /* @__PURE__ */ a4("code", { children: visible(scheduleOf(plan)) }) }),
    state.plan_time && state.status !== "paused" && /* @__PURE__ */ a4(Fact, { name: m5.nextDue, children: /* @__PURE__ */ a4(When, { at: state.plan_time, zone }) }),
    state.paused && /* @__PURE__ */ a4(Fact, { name: m5.pausedSince, children: [
      /* @__PURE__ */ a4(When, { at: state.paused.since, zone }),
      " ",
      state.paused.by && visible(state.paused.by),
      " ",
      state.paused.note && /* @__PURE__ */ a4("q", { children: visible(state.paused.note) })
    ] }),
    state.skip_next ? /* @__PURE__ */ a4(Fact, { name: m5.skipsLeft, children: state.skip_next === -1 ? m5.all : state.skip_next }) : null,
    /* @__PURE__ */ a4(Fact, { name: m5.executed, children: count(state.real_repet) }),
    /* @__PURE__ */ a4(Fact, { name: m5.skipped, children: count(state.skip_num) })
  ] });
}
function scheduleOf(plan) {
  const p5 = plan;
  return [p5.plan_type ?? "none", p5.cron ?? p5.plan_value, p5.timezone].filter((part) => part !== void 0).join(" ");
}
function Open({ view: { plan, state }, zone, after }) {
  const m5 = say.value;
  const station3 = String(plan.station), id = String(plan.plan_id);
  const rows = (state.open ?? []).flatMap(
    (o5) => (o5.executions ?? []).map((e4) => ({ ...e4, next_try: void 0 })).concat(o5.next_try ? [{ attempt: (o5.errors ?? 0) + 1, next_try: o5.next_try }] : [])
  );
  return /* @__PURE__ */ a4("section", { children: [
    /* @__PURE__ */ a4("h2", { children: m5.openExecutions }),
    /* @__PURE__ */ a4(
      Table,
      {
        name: m5.openExecutions,
        columns: session.operates.value ? [...m5.columns.open, m5.columns.act] : m5.columns.open,
        empty: rows.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.overview.none }),
        children: rows.map((e4, i4) => /* @__PURE__ */ a4("tr", { children: [
          /* @__PURE__ */ a4("td", { children: e4.n ? /* @__PURE__ */ a4("a", { href: runPage(station3, id, e4.n), children: e4.n }) : "–" }),
          /* @__PURE__ */ a4("td", { children: e4.attempt }),
          /* @__PURE__ */ a4("td", { children: [
            e4.state ? /* @__PURE__ */ a4(State, { of: e4.state }) : /* @__PURE__ */ a4(State, { of: "retrying" }),
            /* @__PURE__ */ a4(Progress, { of: e4.progress })
          ] }),
          /* @__PURE__ */ a4("td", { children: e4.worker_id && visible(e4.worker_id) }),
          /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: e4.next_try ?? e4.deadline, zone }) }),
          session.operates.value && /* @__PURE__ */ a4("td", { children: e4.n && /* @__PURE__ */ a4(CancelRun, { station: station3, id, n: e4.n, after }) })
        ] }, i4))
      }
    )
  ] });
}
function RunsTab({ station: station3, id, zone, gone }) {
  const m5 = say.value;
  const query2 = { state: param("state"), cursor: param("cursor"), limit: param("limit") || "50" };
  const [resource] = useResource(restPath(["plans", station3, id, "runs"], query2), true);
  const { data, refused, busy } = resource.value;
  const all3 = data?.runs ?? [];
  const [runs, fresh] = useCalm(all3, (r4) => String(r4.n), m5.pages.runs);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterRuns, children: [
      /* @__PURE__ */ a4(ChoiceFilter, { name: "state", label: m5.filter.state, values: resultStates, any: m5.any }),
      /* @__PURE__ */ a4(RunBars, { bars: barsOfRuns(all3) }),
      fresh
    ] }),
    refused && refused.status !== 404 && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Runs, { runs, zone, busy, empty: gone ? /* @__PURE__ */ a4("p", { children: m5.noRunsKept }) : /* @__PURE__ */ a4(NoRuns2, { station: station3, id }) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function NoRuns2({ station: station3, id }) {
  const m5 = say.value;
  if (param("state")) return /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: [
    m5.noRunFits,
    " ",
    /* @__PURE__ */ a4("a", { href: withQuery({ state: void 0, cursor: void 0 }), children: m5.withoutFilters })
  ] }) });
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noRuns }),
    /* @__PURE__ */ a4(Command, { children: `stationmaster plan runs ${station3}/${id}` })
  ] });
}
function Upcoming({ station: station3, id, zone }) {
  const [resource] = useResource(
    restPath(["plans", station3, id, "upcoming"], { count: "20", with_skipped: "true", lang: lang.now.value })
  );
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(NextOccurrences, { of: data, zone, busy })
  ] });
}
function NextOccurrences({ of, zone, busy }) {
  const m5 = say.value;
  const list = of?.occurrences ?? [];
  return /* @__PURE__ */ a4($, { children: [
    of?.words && /* @__PURE__ */ a4("p", { class: "words", children: visible(of.words) }),
    /* @__PURE__ */ a4(
      Table,
      {
        name: m5.nextOccurrences,
        columns: m5.columns.next,
        busy,
        empty: list.length === 0 && of && /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: of.reason ? m5.nothingComes(of.reason) : m5.nothingToCome }) }),
        children: list.map((o5) => /* @__PURE__ */ a4("tr", { class: o5.skipped ? "left-out" : void 0, children: [
          /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: o5.plan_time, zone }) }),
          /* @__PURE__ */ a4("td", { children: o5.local && /* @__PURE__ */ a4("time", { dateTime: o5.plan_time, children: [
            weekday2(o5.local),
            " ",
            o5.local.slice(0, 10),
            " ",
            o5.local.slice(11, 19),
            " ",
            /* @__PURE__ */ a4("span", { class: "offset", children: o5.offset })
          ] }) }),
          /* @__PURE__ */ a4("td", { children: [
            o5.skipped && /* @__PURE__ */ a4($, { children: [
              /* @__PURE__ */ a4(State, { of: "skipped" }),
              " ",
              o5.reason,
              " "
            ] }),
            (o5.notes ?? []).map((n3) => /* @__PURE__ */ a4("div", { class: "about", children: visible(n3.text) }, n3.kind))
          ] })
        ] }, o5.plan_time))
      }
    )
  ] });
}
var weekday2 = (local) => new Intl.DateTimeFormat(lang.now.value, { weekday: "short", timeZone: "UTC" }).format(/* @__PURE__ */ new Date(local.slice(0, 10) + "T00:00:00Z"));
function Definition({ plan }) {
  const names2 = say.value.fields;
  return /* @__PURE__ */ a4("section", { class: "part", children: /* @__PURE__ */ a4("dl", { class: "facts", children: Object.entries(plan).map(([name, value]) => /* @__PURE__ */ a4(Fact, { name: /* @__PURE__ */ a4($, { children: [
    names2[name],
    " ",
    /* @__PURE__ */ a4("code", { children: visible(name) })
  ] }), children: /* @__PURE__ */ a4(Value, { of: value }) }, name)) }) });
}

// app/sent.ts
var quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
function asCurl(method, address, body) {
  return `curl -X ${method} ${quoted(new URL(address, location.href).href)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(formatJson(body))}`;
}
var asNats = (subject, body) => `nats req ${subject} ${quoted(formatJson(body))}`;
var asYaml = (plan) => "plans:\n" + yamlOf(plan, "    ").replace("    ", "  - ");
function yamlOf(value, indent) {
  return Object.entries(value).map(([name, v5]) => `${indent}${plain(name)}:${behind(v5, indent)}
`).join("");
}
function behind(value, indent) {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    return "\n" + yamlOf(value, indent + "  ").trimEnd();
  }
  return " " + (typeof value === "string" ? plain(value) : formatJson(value));
}
var plain = (text) => /^[A-Za-z_][\w./-]*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text) ? text : formatJson(text);

// app/form.tsx
function NewPlan() {
  const m5 = say.value;
  const [station3, id] = param("copy").split("/");
  const [resource] = useResource(id ? restPath(["plans", station3, id]) : void 0);
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: m5.newPlan, busy, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    session.operates.value ? !busy && /* @__PURE__ */ a4(NewForm, { from: data?.plan }) : /* @__PURE__ */ a4("p", { children: m5.onlyOperators })
  ] });
}
function NewForm({ from }) {
  const m5 = say.value;
  const [initial] = d2(() => {
    const typed = from ? typedOf(from) : {};
    delete typed.plan_id;
    if (param("once")) {
      for (const f5 of fields) if (f5.types || f5.name === "plan_type") delete typed[f5.name];
    }
    for (const f5 of fields) if (place.value.searchParams.has(f5.name)) typed[f5.name] = param(f5.name);
    if (typed.cron && !typed.plan_type) typed.plan_type = "cron";
    return typed;
  });
  const form = useForm(initial);
  const [reviewed, setReviewed] = d2();
  const create = async (plan) => {
    const { value } = await request("POST", restPath(["plans"]), plan);
    announce(m5.created(visible(`${value.station}/${value.plan_id}`)));
    open(planPage(value.station, value.plan_id));
  };
  const send = async (use) => {
    const plan = form.read();
    if (plan) await use(plan).catch(form.refuse);
  };
  const review = async (plan) => setReviewed({ sent: plan, dry: (await foresee({ method: "POST", path: ["plans"], body: plan })).value });
  return /* @__PURE__ */ a4("form", { class: "plan", "aria-label": m5.newPlan, noValidate: true, onSubmit: (e4) => (e4.preventDefault(), void send(create)), children: [
    /* @__PURE__ */ a4(Controls, { form }),
    /* @__PURE__ */ a4("div", { class: "beside", children: [
      /* @__PURE__ */ a4("div", { class: "buttons", children: [
        /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.create }),
        /* @__PURE__ */ a4("button", { type: "button", onClick: () => void send(review), children: m5.review }),
        /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans"]), children: m5.back })
      ] }),
      /* @__PURE__ */ a4(Problem, { form }),
      /* @__PURE__ */ a4(Preview, { plan: form.plan, zone: zoneOf(form.typed), tell: form.foresee }),
      /* @__PURE__ */ a4(Request, { method: "POST", address: restPath(["plans"]), subject: "plans.create", body: form.plan, yaml: form.plan })
    ] }),
    reviewed && /* @__PURE__ */ a4(
      Dialog,
      {
        title: m5.createTitle(visible([reviewed.sent.station, reviewed.sent.plan_id].filter(Boolean).join("/"))),
        verb: m5.create,
        act: () => create(reviewed.sent),
        close: () => setReviewed(void 0),
        children: /* @__PURE__ */ a4(Foreseen, { of: reviewed.dry, zone: zoneOf(form.typed) })
      }
    )
  ] });
}
function EditPlan({ station: station3, id }) {
  const m5 = say.value;
  const [resource] = useResource(restPath(["plans", station3, id]));
  const { data, refused, busy, etag } = resource.value;
  const [begun, begin] = d2();
  const renew = async () => {
    const { value, etag: etag2 } = await request("GET", restPath(["plans", station3, id]));
    begin({ plan: value.plan, etag: etag2 });
    return etag2;
  };
  A2(() => {
    if (data && !begun) begin({ plan: data.plan, etag });
  }, [data]);
  return /* @__PURE__ */ a4(Page, { title: m5.editTitle(visible(`${station3}/${id}`)), busy, children: [
    refused && !begun && /* @__PURE__ */ a4(Refused, { by: refused }),
    !session.operates.value && /* @__PURE__ */ a4("p", { children: m5.onlyOperators }),
    session.operates.value && begun && /* @__PURE__ */ a4(EditForm, { station: station3, id, ...begun, renew })
  ] });
}
function changesOf(before, initial, plan) {
  const changes = {};
  const begun = planOf(initial, {}, "");
  for (const f5 of fields) {
    const is = memberOf(plan, f5.name);
    if (f5.fixed || f5.name === "paused" || formatJson(is ?? null) === formatJson(memberOf(begun, f5.name) ?? null)) continue;
    const [outer, inner] = f5.name.split(".");
    if (inner === void 0) changes[outer] = is ?? null;
    else changes[outer] = { ...changes[outer] ?? before[outer], ...plan[outer] };
    if (inner !== void 0 && is === void 0) delete changes[outer][inner];
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) changes[name] = null;
  }
  return changes;
}
function EditForm({ station: station3, id, plan: before, etag, renew }) {
  const m5 = say.value;
  const [initial] = d2(() => typedOf(before));
  const form = useForm(initial);
  const [reviewed, setReviewed] = d2();
  const sent = changesOf(before, initial, form.plan);
  const path = ["plans", station3, id];
  const foresees = async (ifMatch) => setReviewed({ sent, dry: (await foresee({ method: "PATCH", path, body: sent }, { ifMatch })).value });
  const save = async (changes) => {
    await request("PATCH", restPath(path), changes, { ifMatch: etag }).catch(async (problem) => {
      if (!isConflict(problem)) throw problem;
      await foresees(await renew());
      throw new Refusal(problem.status, problem.code, `${problem.message} ${m5.changedMeanwhile}`, []);
    });
    announce(m5.saved(visible(`${station3}/${id}`)));
    open(planPage(station3, id));
  };
  const review = async () => {
    if (!form.read()) return;
    await foresees(etag).catch(async (problem) => {
      if (!isConflict(problem)) throw problem;
      await foresees(await renew());
      announce(m5.changedMeanwhile);
    }).catch(form.refuse);
  };
  return /* @__PURE__ */ a4("form", { class: "plan", "aria-label": m5.editTitle(visible(`${station3}/${id}`)), noValidate: true, onSubmit: (e4) => (e4.preventDefault(), void review()), children: [
    /* @__PURE__ */ a4(Controls, { form, editing: true }),
    /* @__PURE__ */ a4("div", { class: "beside", children: [
      /* @__PURE__ */ a4("div", { class: "buttons", children: [
        /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.review }),
        /* @__PURE__ */ a4("a", { class: "button", href: planPage(station3, id), children: m5.back })
      ] }),
      /* @__PURE__ */ a4(Problem, { form }),
      /* @__PURE__ */ a4(Preview, { plan: form.plan, zone: zoneOf(form.typed), tell: form.foresee }),
      /* @__PURE__ */ a4(Request, { method: "PATCH", address: restPath(["plans", station3, id]), subject: "plans.update", body: sent, nats: { station: station3, plan_id: id, ...sent }, yaml: form.plan })
    ] }),
    reviewed && /* @__PURE__ */ a4(
      Dialog,
      {
        title: m5.changeTitle(visible(`${station3}/${id}`)),
        verb: reviewed.dry.changes.length > 0 ? m5.save : void 0,
        act: () => save(reviewed.sent),
        close: () => setReviewed(void 0),
        children: /* @__PURE__ */ a4(Foreseen, { of: reviewed.dry, zone: before.timezone })
      }
    )
  ] });
}
var isConflict = (problem) => problem instanceof Refusal && (problem.status === 409 || problem.status === 412);
function useForm(initial) {
  const m5 = say.value;
  const [typed, setTyped] = d2(initial);
  const [faults, setFaults] = d2({});
  const [foreseen, setForeseen] = d2({});
  const [general, setGeneral] = d2("");
  const own = {};
  const plan = planOf(typed, own, m5.notJson);
  const refuse = (problem) => {
    if (!(problem instanceof Refusal)) return;
    const [byField, others3] = spread(problem.errors, typed);
    setFaults(byField);
    setGeneral(others3.length || Object.keys(byField).length === 0 ? others3.join("; ") || problem.message : "");
    const first2 = fields.find((f5) => byField[f5.name]);
    if (first2) focusFault(first2.name);
  };
  return {
    typed,
    plan,
    faults: { ...faults, ...foreseen, ...own },
    general,
    type(name, text) {
      setTyped({ ...typed, [name]: text });
      if (faults[name]) setFaults({ ...faults, [name]: "" });
    },
    read() {
      setGeneral("");
      setFaults({});
      if (Object.keys(own).length === 0) return plan;
      focusFault(Object.keys(own)[0]);
      return void 0;
    },
    foresee(errors) {
      const [byField] = spread(errors, typed);
      setForeseen(Object.fromEntries(Object.entries(byField).filter(([name]) => typed[name])));
    },
    refuse
  };
}
var focusFault = (name) => setTimeout(() => document.querySelector(`form.plan [name="${name}"]`)?.focus());
function spread(errors, typed) {
  const byField = {};
  const others3 = [];
  for (const e4 of errors) {
    const name = (e4.field ?? "").replace(/\[.*$/, "");
    const field2 = fields.find((f5) => f5.name === name) ?? fields.find((f5) => f5.name.split(".")[0] === name.split(".")[0]);
    if (field2 && shows(field2, typed)) byField[field2.name] ||= e4.message;
    else others3.push(e4.message);
  }
  return [byField, others3];
}
function Problem({ form }) {
  return form.general ? /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: visible(form.general) }) : null;
}
function Controls({ form, editing }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "controls", children: groups.map((g5) => {
    const all3 = g5.fields.filter((f5) => shows(f5, form.typed) && !(editing && f5.name === "paused"));
    if (all3.length === 0) return null;
    const body = all3.map((f5) => /* @__PURE__ */ a4(Control, { field: f5, form, fixed: editing && f5.fixed }, f5.name));
    if (g5.name === "what" || g5.name === "when") {
      return /* @__PURE__ */ a4("fieldset", { children: [
        /* @__PURE__ */ a4("legend", { children: m5.groups[g5.name] }),
        body
      ] }, g5.name);
    }
    const unfolded = hasRoom || all3.some((f5) => form.typed[f5.name] || form.faults[f5.name]);
    return /* @__PURE__ */ a4("details", { open: unfolded, children: [
      /* @__PURE__ */ a4("summary", { children: m5.groups[g5.name] }),
      /* @__PURE__ */ a4("fieldset", { "aria-label": m5.groups[g5.name], children: body })
    ] }, g5.name);
  }) });
}
var zones = ["UTC", ...Intl.supportedValuesOf?.("timeZone") ?? []];
function Control({ field: f5, form, fixed }) {
  const m5 = say.value;
  const about = P2();
  const fault = form.faults[f5.name];
  const text = form.typed[f5.name] ?? "";
  const common = {
    name: f5.name,
    disabled: fixed,
    "aria-invalid": fault ? "true" : void 0,
    "aria-describedby": about,
    required: f5.name === "station" && !fixed ? true : void 0,
    onInput: (e4) => form.type(f5.name, e4.currentTarget.value)
  };
  const label = m5.fields[f5.name] ?? f5.name;
  const hint2 = m5.hints[f5.name];
  return /* @__PURE__ */ a4("div", { class: "control", children: [
    /* @__PURE__ */ a4("label", { for: about + "c", children: [
      label,
      " ",
      /* @__PURE__ */ a4("code", { children: f5.name })
    ] }),
    /* @__PURE__ */ a4(Input, { f: f5, id: about + "c", text, common }),
    /* @__PURE__ */ a4("p", { id: about, class: fault ? "fault" : "about", children: fault ? visible(fault) : f5.kind === "time" ? m5.inZone(zoneOf(form.typed)) : hint2 })
  ] });
}
function Input({ f: f5, id, text, common }) {
  const m5 = say.value;
  switch (f5.kind) {
    case "choice":
    case "yes":
    case "zone": {
      const values = f5.kind === "zone" ? zones : f5.kind === "yes" ? ["true", "false"] : f5.values;
      const all3 = text && !values.includes(text) ? [text, ...values] : values;
      return /* @__PURE__ */ a4("select", { id, ...common, value: text, children: [
        /* @__PURE__ */ a4("option", { value: "", children: m5.byDefault }),
        all3.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: v5 === text, children: visible(v5) }, v5))
      ] });
    }
    case "json":
      return /* @__PURE__ */ a4("textarea", { id, ...common, rows: f5.name === "messages" ? 4 : 2, value: text, spellcheck: false });
    case "time":
      return /* @__PURE__ */ a4("input", { id, ...common, type: "datetime-local", step: 1, value: text });
    case "number":
      return /* @__PURE__ */ a4("input", { id, ...common, inputMode: "decimal", value: text, autocomplete: "off" });
    default:
      return /* @__PURE__ */ a4("input", { id, ...common, value: text, autocomplete: "off", spellcheck: false });
  }
}
function Preview({ plan, zone, tell }) {
  const m5 = say.value;
  const [shown4, show] = d2();
  const [fault, setFault] = d2("");
  const [busy, setBusy] = d2(true);
  const body = formatJson({ plan, count: 6, lang: lang.now.value, with_skipped: true });
  A2(() => {
    const round2 = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const sent = { plan: { station: "preview", command: "preview", ...plan }, count: 6, lang: lang.now.value, with_skipped: true };
        show((await request("POST", restPath(["plans", "preview"]), sent, { signal: round2.signal })).value);
        setFault("");
        tell?.([]);
      } catch (e4) {
        if (round2.signal.aborted) return;
        setFault(e4 instanceof Refusal ? e4.message : "");
        tell?.(e4 instanceof Refusal ? e4.errors : []);
      }
      setBusy(false);
    }, 200);
    return () => (clearTimeout(timer), round2.abort());
  }, [body]);
  return /* @__PURE__ */ a4("section", { "aria-label": m5.preview, "aria-busy": busy ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.preview }),
    fault && /* @__PURE__ */ a4("p", { class: "about", children: visible(fault) }),
    /* @__PURE__ */ a4(NextOccurrences, { of: fault ? void 0 : shown4, zone })
  ] });
}
function Request({ method, address, subject, body, nats = body, yaml }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("section", { "aria-label": m5.request, children: [
    /* @__PURE__ */ a4("h2", { children: m5.request }),
    /* @__PURE__ */ a4("h3", { children: "curl" }),
    /* @__PURE__ */ a4(Command, { name: "curl", children: asCurl(method, address, body) }),
    /* @__PURE__ */ a4("h3", { children: "nats req" }),
    /* @__PURE__ */ a4(Command, { name: "nats req", children: asNats(subject, nats) }),
    /* @__PURE__ */ a4("h3", { children: "YAML" }),
    /* @__PURE__ */ a4(Command, { name: "YAML", children: asYaml(yaml) })
  ] });
}

// app/cron-fields.tsx
function CronFields({ field: field2, cron = "", timezone = "", children }) {
  const [when, setWhen] = d2({ cron, timezone });
  const typed = (e4) => {
    const form = new FormData(e4.currentTarget.closest("form"));
    setWhen({ cron: String(form.get(field2)).trim(), timezone: String(form.get("timezone")) });
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { onInput: typed, children }),
    when.cron && /* @__PURE__ */ a4(Preview, { plan: { plan_type: "cron", cron: when.cron, ...when.timezone && { timezone: when.timezone } }, zone: when.timezone || "UTC" })
  ] });
}

// app/jobs.tsx
var jobPage = (id) => pageOf(["jobs", id]);
var withState = () => ({ words: lang.now.value, state: "true" });
var filters5 = ["name", "status"];
function Jobs() {
  const m5 = say.value;
  const query2 = { name: param("name"), status: param("status"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource(restPath(["tasks"], { ...query2, ...withState() }), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.tasks ?? [], (t4) => t4.id, m5.pages.jobs);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.jobs, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewJob, { after: again }), children: [
    /* @__PURE__ */ a4(Filters, { label: m5.jobs.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "name", label: m5.jobs.fields.name }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: ["ENABLED", "DISABLED"], any: m5.any }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { listed: true, name: m5.pages.jobs, columns: m5.jobs.columns, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoJobs, { next: data?.next }), children: list.map((t4) => /* @__PURE__ */ a4(Row4, { of: t4 }, t4.id)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function Row4({ of: t4 }) {
  return /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4("a", { href: jobPage(t4.id), children: visible(t4.name) }),
      t4.description && /* @__PURE__ */ a4("div", { class: "about", children: visible(t4.description) })
    ] }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Target, { of: t4 }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Schedule, { of: t4 }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(JobStatus, { of: t4 }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: t4.state?.next_due, zone: t4.timezone }) }),
    /* @__PURE__ */ a4("td", { children: t4.state?.last_run && /* @__PURE__ */ a4(Outcome, { of: t4.state.last_run }) })
  ] });
}
var Target = ({ of: t4 }) => /* @__PURE__ */ a4("code", { class: "target", children: [
  t4.http_method,
  " ",
  visible(t4.target_url)
] });
var Schedule = ({ of: t4 }) => /* @__PURE__ */ a4($, { children: [
  t4.words && /* @__PURE__ */ a4("div", { children: visible(t4.words) }),
  /* @__PURE__ */ a4("code", { class: "about", children: [
    visible(t4.cron_expr),
    " ",
    visible(t4.timezone)
  ] })
] });
function JobStatus({ of: t4 }) {
  const status = t4.state?.status;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(State, { of: t4.status }),
    status && status !== "queued" && status !== "paused" && /* @__PURE__ */ a4($, { children: [
      " ",
      /* @__PURE__ */ a4(State, { of: status })
    ] })
  ] });
}
var states = {
  SCHEDULED: "waiting",
  RUNNING: "running",
  SUCCESS: "ok",
  FAILED: "error",
  TIMEOUT: "timeout",
  FAILED_TIMEOUT: "timeout",
  CANCELED: "cancelled",
  SKIPPED: "skipped"
};
function Outcome({ of: run }) {
  return /* @__PURE__ */ a4($, { children: [
    run.response_code ? /* @__PURE__ */ a4("strong", { children: [
      run.response_code,
      " "
    ] }) : null,
    /* @__PURE__ */ a4(State, { of: states[run.status], wire: run.status }),
    run.skip_reason && /* @__PURE__ */ a4("span", { class: "about", children: [
      " ",
      run.skip_reason
    ] })
  ] });
}
function NoJobs({ next: next2 }) {
  const m5 = say.value;
  const set = filters5.filter((name) => param(name));
  if (set.length > 0 || next2 || param("cursor")) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.jobs.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery({ name: void 0, status: void 0, cursor: void 0, before: void 0 }), children: m5.withoutFilters }) })
    ] });
  }
  const first2 = { name: "ping", cron_expr: "*/5 * * * *", target_url: "https://example.org/" };
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.jobs.none }),
    /* @__PURE__ */ a4(Command, { children: asCurl("POST", restPath(["tasks"]), first2) })
  ] });
}

// app/inputs.tsx
function Inputs({ of, grid: grid2 }) {
  return /* @__PURE__ */ a4("div", { class: grid2 ? "grid" : void 0, children: of.map((f5) => /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: [
      f5.label,
      " ",
      f5.kind === "time" && /* @__PURE__ */ a4("span", { class: "about", children: [
        "(",
        shownZone(),
        ")"
      ] })
    ] }),
    /* @__PURE__ */ a4(Control2, { of: f5 }),
    f5.hint && /* @__PURE__ */ a4("span", { class: "about", children: f5.hint })
  ] }, f5.name)) });
}
function Control2({ of: f5 }) {
  const common = { name: f5.name, required: f5.required, placeholder: f5.example, autocomplete: "off", spellcheck: false };
  switch (f5.kind) {
    case "choice":
    case "yes":
    case "zone":
      return /* @__PURE__ */ a4(Choice2, { of: f5 });
    case "json":
    case "lines":
      return /* @__PURE__ */ a4("textarea", { ...common, rows: f5.rows ?? 3, defaultValue: f5.value });
    case "time":
      return /* @__PURE__ */ a4("input", { ...common, type: "datetime-local", step: 1, defaultValue: f5.value });
    case "number":
      return /* @__PURE__ */ a4("input", { ...common, inputMode: "decimal", defaultValue: f5.value });
    case "secret":
      return /* @__PURE__ */ a4("input", { ...common, type: "password", autocomplete: "new-password" });
    default:
      return /* @__PURE__ */ a4("input", { ...common, defaultValue: f5.value });
  }
}
function Choice2({ of: f5 }) {
  const known = f5.kind === "yes" ? ["true", "false"] : f5.kind === "zone" ? zones : f5.values ?? [];
  const values = f5.value && !known.includes(f5.value) ? [f5.value, ...known] : known;
  return /* @__PURE__ */ a4("select", { name: f5.name, required: f5.required, children: [
    /* @__PURE__ */ a4("option", { value: "", selected: !f5.value, children: f5.required ? "" : say.value.byDefault }),
    values.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: v5 === f5.value, children: visible(v5) }, v5))
  ] });
}
function typedIn(form, of) {
  const values = {};
  for (const f5 of of) {
    const text = String(form.get(f5.name) ?? "");
    if (text.trim() === "") continue;
    if (f5.kind === "secret") {
      put(values, f5.name, text);
      continue;
    }
    try {
      put(values, f5.name, valueOf2(f5, text.trim(), shownZone()));
    } catch {
      throw new Refusal(400, "", `${f5.label}: ${say.value.notJson}`, [{ code: "", message: say.value.notJson, field: f5.name }]);
    }
  }
  return values;
}
var filled = (of, record) => of.map((f5) => {
  const value = f5.kind === "secret" ? void 0 : memberOf(record, f5.name);
  return value === void 0 || value === null ? f5 : { ...f5, value: textOf(f5, value, shownZone()) };
});
function changedIn(form, of, record) {
  const typed = typedIn(form, of);
  return of.reduce((all3, f5) => {
    const is = memberOf(typed, f5.name);
    if (is === void 0) return f5.kind === "secret" ? all3 : without(all3, f5.name.split("."));
    put(all3, f5.name, is);
    return all3;
  }, { ...record });
}
function without(record, [outer, ...inner]) {
  const { [outer]: member, ...rest3 } = record;
  if (inner.length === 0 || member === void 0 || member === null) return rest3;
  const left = without(member, inner);
  return Object.keys(left).length === 0 ? rest3 : { ...rest3, [outer]: left };
}

// app/record.tsx
function textOf2(value) {
  if (value === void 0 || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf2).join(", ");
  return typeof value === "string" ? value : formatJson(value);
}
function valueOf3({ name, kind }, text) {
  const number = (t4) => /^\d+(\.\d+)?$/.test(t4) ? Number(t4) : t4;
  switch (kind) {
    case "number":
      return number(text);
    case "list":
      return text.split(/[,\n]/).map((t4) => t4.trim()).filter(Boolean).map(number);
    case "json":
      try {
        return parseJson(text);
      } catch {
        throw new Refusal(400, "", `${name}: ${say.value.notJson}`, []);
      }
    default:
      return text;
  }
}
function changesIn(form, fields3, begun = {}) {
  const changes = {};
  for (const f5 of fields3) {
    if (!form.has(f5.name)) continue;
    const typed = String(form.get(f5.name)).replaceAll("\r\n", "\n");
    const text = f5.kind === "lines" ? typed : typed.trim();
    if (text === textOf2(begun[f5.name])) continue;
    changes[f5.name] = text === "" ? null : valueOf3(f5, text);
  }
  return changes;
}
var withoutNulls = (of) => Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
function differences(before = {}, after = {}, but) {
  const text = (value) => formatJson(value ?? null);
  return [.../* @__PURE__ */ new Set([...Object.keys(before), ...Object.keys(after)])].filter((field2) => !but.includes(field2) && text(before[field2]) !== text(after[field2])).map((field2) => ({ field: field2, before: before[field2], after: after[field2] }));
}
function RecordFields({ fields: fields3, of = {}, labels }) {
  return /* @__PURE__ */ a4($, { children: fields3.map((f5) => /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: [
      labels[f5.name] ?? f5.name,
      " ",
      /* @__PURE__ */ a4("code", { children: f5.name })
    ] }),
    /* @__PURE__ */ a4(Control2, { of: { ...f5, kind: f5.kind ?? "text", label: f5.name, value: textOf2(of[f5.name]), rows: 2 } })
  ] }, f5.name)) });
}
function Members({ of, but }) {
  return /* @__PURE__ */ a4("dl", { class: "facts", children: Object.entries(of).filter(([name, value]) => !but.includes(name) && textOf2(value) !== "").map(([name, value]) => /* @__PURE__ */ a4("div", { children: [
    /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4("code", { children: visible(name) }) }),
    /* @__PURE__ */ a4("dd", { children: /* @__PURE__ */ a4("code", { children: visible(textOf2(value)) }) })
  ] }, name)) });
}

// app/test-call.tsx
var fields2 = [
  { name: "target_url" },
  { name: "http_method" },
  { name: "headers_json", kind: "json" },
  { name: "body_template", kind: "lines" },
  { name: "timeout_seconds", kind: "number" },
  { name: "success_status", kind: "list" }
];
var underWay2 = ["dispatched", "running", "waiting"];
var rest2 = 300;
function TestCall() {
  const m5 = say.value.jobs;
  const [run, show] = d2();
  const [note, setNote] = d2("");
  const round2 = T2(void 0);
  A2(() => () => round2.current?.abort(), []);
  const act = async (form) => {
    round2.current?.abort();
    const { signal } = round2.current = new AbortController();
    show(void 0);
    setNote(m5.testing);
    try {
      const made = await request("POST", restPath(["plans"]), {
        station: "http",
        command: "http",
        plan_type: "none",
        description: "test",
        retry: { strategy: "none" },
        on_failure: "settle",
        messages: [callOf(form)]
      }, { signal });
      show(await ended2(made.value.plan_id, signal));
      setNote("");
    } catch (e4) {
      if (!signal.aborted) setNote(problemText(e4));
    }
  };
  return /* @__PURE__ */ a4("section", { "aria-label": m5.testCall, class: "part", children: [
    /* @__PURE__ */ a4("button", { type: "button", onClick: (e4) => void act(e4.currentTarget.form), children: m5.testCall }),
    " ",
    /* @__PURE__ */ a4("span", { class: "about", "aria-live": "polite", children: note }),
    run && /* @__PURE__ */ a4(Answered, { of: run })
  ] });
}
function callOf(form) {
  const { headers_json: headers, ...call2 } = withoutNulls(changesIn(new FormData(form), fields2));
  return headers ? { ...call2, headers } : call2;
}
async function ended2(plan, signal) {
  for (; ; ) {
    const { value } = await request("GET", restPath(["plans", "http", plan, "runs", "1"]), void 0, { signal });
    if (!underWay2.includes(value.run.state)) return value.run;
    await new Promise((go) => setTimeout(go, rest2));
  }
}
function Answered({ of: run }) {
  const outcome = run.content ?? run.error ?? {};
  return /* @__PURE__ */ a4("div", { class: "foresight", children: [
    /* @__PURE__ */ a4("p", { children: [
      outcome.status ? /* @__PURE__ */ a4("strong", { children: [
        outcome.status,
        " "
      ] }) : null,
      /* @__PURE__ */ a4(State, { of: run.state }),
      outcome.duration_ms !== void 0 && /* @__PURE__ */ a4("span", { class: "about", children: [
        " ",
        duration(outcome.duration_ms)
      ] })
    ] }),
    outcome.message && /* @__PURE__ */ a4("p", { children: visible(outcome.message) }),
    typeof run.error === "string" && /* @__PURE__ */ a4("p", { children: visible(run.error) }),
    outcome.body && /* @__PURE__ */ a4(Value, { of: outcome.body })
  ] });
}

// app/job-verbs.tsx
var methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
var main = [
  { name: "description" },
  { name: "target_url", required: true, example: "https://example.org/sync?run={{run_id}}" },
  { name: "cron_expr", required: true, example: "*/15 * * * *" }
];
var choices = [
  { name: "timezone", kind: "zone" },
  { name: "http_method", kind: "choice", values: methods }
];
var call = [
  { name: "headers_json", kind: "lines", example: '{"Content-Type": "application/json"}' },
  { name: "body_template", kind: "lines", example: '{"run": "{{run_id}}"}' }
];
var others = [
  { name: "timeout_seconds", kind: "number" },
  { name: "success_status", kind: "list", example: "2xx, 409" },
  { name: "retry_policy_json", example: '{"strategy":"fixed_period","interval":5,"max_error_count":3}' },
  { name: "overlap_action", kind: "choice", values: ["ALLOW", "SKIP", "CANCEL_PREV", "PARALLEL", "QUEUE"] },
  { name: "failure_action", kind: "choice", values: ["RUN_NEW", "SKIP", "RETRY"] },
  { name: "catch_up_mode", kind: "choice", values: ["NONE", "COMPACT", "FULL"] },
  { name: "max_concurrency", kind: "number" },
  { name: "concurrency_policy", kind: "choice", values: ["QUEUE", "SKIP", "PARALLEL"] },
  { name: "exec_type", kind: "choice", values: ["SYNC", "ASYNC"] },
  { name: "callback_timeout_sec", kind: "number" }
];
var all = [{ name: "name" }, ...main, ...choices, ...call, ...others, { name: "status" }];
function JobActions({ job, etag, after }) {
  const m5 = say.value.jobs;
  const [asking2, ask2] = d2();
  const name = visible(job.name);
  const operates = session.operates.value;
  const atOnce2 = async (verb) => {
    try {
      const { value } = await request("POST", restPath(["tasks", job.id, verb]));
      announce(verb === "enable" ? m5.enabled(name) : say.value.triggered(name, Number(value.run_id?.split(".").at(-1))));
      after();
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  const enabled = job.status === "ENABLED";
  useShortcut("p", () => operates && (enabled ? ask2("disable") : void atOnce2("enable")));
  useShortcut("t", () => operates && void atOnce2("trigger"));
  useShortcut("e", () => operates && ask2("change"));
  if (!operates) return null;
  const close = () => ask2(void 0);
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": say.value.actions, children: [
    enabled && /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("disable"), children: m5.disable }),
    !enabled && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void atOnce2("enable"), children: m5.enable }),
    /* @__PURE__ */ a4("button", { type: "button", onClick: () => void atOnce2("trigger"), children: say.value.verbs.trigger.name }),
    /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("change"), children: m5.change }),
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2("delete"), children: m5.delete }),
    asking2 === "disable" && /* @__PURE__ */ a4(DisableDialog, { job, close, after }),
    asking2 === "change" && /* @__PURE__ */ a4(JobDialog, { job, etag, close, after }),
    asking2 === "delete" && /* @__PURE__ */ a4(DeleteDialog, { job, close })
  ] });
}
function NewJob({ after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "primary", onClick: () => ask2(true), children: m5.create }),
    asking2 && /* @__PURE__ */ a4(JobDialog, { close: () => ask2(false), after })
  ] });
}
function DisableDialog({ job, close, after }) {
  const m5 = say.value;
  const act = async (form) => {
    await request("POST", restPath(["tasks", job.id, "disable"], { note: String(form.get("note") ?? "") }));
    announce(m5.jobs.disabled(visible(job.name)));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.jobs.disable} ${visible(job.name)}`, verb: m5.jobs.disable, act, close, children: [
    /* @__PURE__ */ a4("p", { children: m5.jobs.disableAbout }),
    /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.note }),
      /* @__PURE__ */ a4("input", { name: "note", maxLength: 512, autocomplete: "off" })
    ] })
  ] });
}
function DeleteDialog({ job, close }) {
  const m5 = say.value.jobs;
  const act = async () => {
    await request("DELETE", restPath(["tasks", job.id]));
    announce(m5.deleted(visible(job.name)));
    open(pageOf(["jobs"]));
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(job.name)}`, verb: m5.delete, act, close, danger: true, children: [
    /* @__PURE__ */ a4("p", { children: m5.deleteAbout }),
    /* @__PURE__ */ a4(Foresight, { of: { method: "DELETE", path: ["plans", "http", job.id], body: {} }, zone: job.timezone })
  ] });
}
function JobDialog({ job, etag, close, after }) {
  const m5 = say.value;
  const [begun] = d2(job);
  const [now2, take] = d2({ job, etag });
  const act = async (form) => {
    const changes = changesIn(form, all, begun);
    if (!begun) {
      const { value } = await request("POST", restPath(["tasks"]), withoutNulls(changes));
      announce(m5.created(visible(value.name)));
      open(jobPage(value.id));
    } else if (Object.keys(changes).length > 0) {
      await change2(begun.id, changes);
      announce(m5.saved(visible(begun.name)));
    }
    after();
  };
  const change2 = async (id, changes) => {
    try {
      await request("PATCH", restPath(["tasks", id]), changes, { ifMatch: now2.etag });
    } catch (e4) {
      if (!(e4 instanceof Refusal) || e4.status !== 412) throw e4;
      const { value, etag: tag } = await request("GET", restPath(["tasks", id]));
      take({ job: value, etag: tag });
      throw new Refusal(412, "", m5.stations.outdated(visible(value.name), m5.jobs.change), []);
    }
  };
  const labels = m5.jobs.fields;
  const verb = begun ? m5.jobs.change : m5.create;
  return /* @__PURE__ */ a4(Dialog, { title: begun ? `${verb} ${visible(begun.name)}` : m5.jobs.createNew, verb, act, close, children: [
    begun && now2.job !== begun && /* @__PURE__ */ a4(Changes, { of: differences(begun, now2.job, ["version", "updated_at", "words", "state"]) }),
    /* @__PURE__ */ a4(CronFields, { field: "cron_expr", cron: begun?.cron_expr, timezone: begun?.timezone, children: [
      !begun && /* @__PURE__ */ a4(RecordFields, { fields: [{ name: "name", required: true }], labels }),
      /* @__PURE__ */ a4(RecordFields, { fields: main, of: begun, labels }),
      /* @__PURE__ */ a4("div", { class: "grid", children: /* @__PURE__ */ a4(RecordFields, { fields: choices, of: begun, labels }) })
    ] }),
    /* @__PURE__ */ a4(RecordFields, { fields: call, of: begun, labels }),
    /* @__PURE__ */ a4(TestCall, {}),
    /* @__PURE__ */ a4("details", { children: [
      /* @__PURE__ */ a4("summary", { children: m5.jobs.more }),
      /* @__PURE__ */ a4("div", { class: "grid", children: [
        /* @__PURE__ */ a4(RecordFields, { fields: others, of: begun, labels }),
        !begun && /* @__PURE__ */ a4(RecordFields, { fields: [{ name: "status", kind: "choice", values: ["ENABLED", "DISABLED"] }], labels })
      ] })
    ] })
  ] });
}

// app/job.tsx
var station2 = "http";
var isId = (name) => /^[a-z2-7]{32}$/.test(name);
function Job({ id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["tasks", id], withState()));
  const { data: job, refused, busy, etag } = resource.value;
  const plan = job?.id ?? (isId(id) ? id : void 0);
  return /* @__PURE__ */ a4(Page, { title: visible(job?.name ?? id), busy, aside: job && /* @__PURE__ */ a4(JobStatus, { of: job }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["jobs"]), children: m5.pages.jobs }) }),
    job && /* @__PURE__ */ a4(JobActions, { job, etag, after: again }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { children: m5.jobs.gone }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    job && /* @__PURE__ */ a4(Facts2, { of: job }),
    plan && /* @__PURE__ */ a4(Why, { station: station2, id: plan, zone: job?.timezone }),
    job && /* @__PURE__ */ a4(LastAnswer, { run: job.state?.last_run, zone: job.timezone }),
    plan && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h2", { children: m5.pages.runs }),
      /* @__PURE__ */ a4(RunsTab, { station: station2, id: plan, zone: job?.timezone, gone: refused?.status === 404 })
    ] }),
    job && /* @__PURE__ */ a4("details", { children: [
      /* @__PURE__ */ a4("summary", { children: m5.tabs.definition }),
      /* @__PURE__ */ a4(Members, { of: job, but: ["id", "name", "words", "state"] })
    ] })
  ] });
}
function Facts2({ of: job }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    job.description && /* @__PURE__ */ a4(Fact, { name: m5.fields.description, wide: true, children: visible(job.description) }),
    /* @__PURE__ */ a4(Fact, { name: m5.jobs.fields.target_url, children: /* @__PURE__ */ a4(Target, { of: job }) }),
    /* @__PURE__ */ a4(Fact, { name: m5.columns.plans[2], children: /* @__PURE__ */ a4(Schedule, { of: job }) }),
    job.state?.next_due && /* @__PURE__ */ a4(Fact, { name: m5.nextDue, children: /* @__PURE__ */ a4(When, { at: job.state.next_due, zone: job.timezone }) }),
    /* @__PURE__ */ a4(Fact, { name: m5.columns.plan, children: /* @__PURE__ */ a4(PlanLink, { station: station2, id: job.id }) })
  ] });
}
function LastAnswer({ run, zone }) {
  const m5 = say.value;
  const n3 = Number(run?.id.split(".").at(-1));
  return /* @__PURE__ */ a4("section", { class: "part", "aria-label": m5.jobs.lastAnswer, children: [
    /* @__PURE__ */ a4("h2", { children: m5.jobs.lastAnswer }),
    !run && /* @__PURE__ */ a4("p", { class: "about", children: m5.jobs.noAnswer }),
    run && /* @__PURE__ */ a4("dl", { class: "facts", children: [
      /* @__PURE__ */ a4(Fact, { name: m5.jobs.statusCode, children: /* @__PURE__ */ a4(Outcome, { of: run }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.columns.runs[0], children: /* @__PURE__ */ a4("a", { href: runPage(station2, run.task_id, n3), children: n3 }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.columns.time, children: /* @__PURE__ */ a4(When, { at: run.end_time ?? run.scheduled_time, zone }) }),
      run.duration_ms !== void 0 && /* @__PURE__ */ a4(Fact, { name: m5.columns.runs[5], children: duration(run.duration_ms) }),
      run.error && /* @__PURE__ */ a4(Fact, { name: m5.error, wide: true, children: visible(run.error) }),
      run.response_body && /* @__PURE__ */ a4(Fact, { name: m5.jobs.body, wide: true, children: /* @__PURE__ */ a4(Value, { of: run.response_body }) })
    ] })
  ] });
}

// app/login.tsx
function Login() {
  const m5 = say.value;
  const field2 = T2(null);
  const [wrong, setWrong] = d2("");
  const submit = async (e4) => {
    e4.preventDefault();
    setWrong("");
    try {
      await session.logIn(field2.current.value.trim());
      open(next());
    } catch (problem) {
      setWrong(problem instanceof Refusal ? problem.status === 401 ? m5.wrongToken : problem.message : m5.connectionLost);
      field2.current.focus();
      field2.current.select();
    }
  };
  return /* @__PURE__ */ a4(Page, { title: m5.logIn, children: [
    !isSecureContext && /* @__PURE__ */ a4(Insecure, {}),
    /* @__PURE__ */ a4("form", { class: "login", "aria-label": m5.logIn, onSubmit: (e4) => void submit(e4), children: [
      /* @__PURE__ */ a4("label", { children: [
        /* @__PURE__ */ a4("span", { children: m5.token }),
        /* @__PURE__ */ a4("input", { ref: field2, name: "token", type: "password", autocomplete: "current-password", required: true, "aria-invalid": wrong ? "true" : void 0, "aria-describedby": wrong ? "wrong" : void 0 })
      ] }),
      wrong && /* @__PURE__ */ a4("p", { id: "wrong", class: "alert", role: "alert", children: wrong }),
      /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.logIn })
    ] }),
    /* @__PURE__ */ a4("p", { class: "about", children: m5.aboutTokens })
  ] });
}
function Insecure() {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "alert", role: "note", children: [
    /* @__PURE__ */ a4("p", { children: m5.insecure(location.host) }),
    /* @__PURE__ */ a4("ul", { children: [
      /* @__PURE__ */ a4("li", { children: [
        m5.insecureTls,
        " ",
        /* @__PURE__ */ a4("code", { children: "stationmaster serve --http-public-url https://HOST" })
      ] }),
      /* @__PURE__ */ a4("li", { children: [
        m5.insecureTunnel,
        /* @__PURE__ */ a4(Command, { children: `ssh -L 8080:127.0.0.1:${location.port || "80"} ${location.hostname}` }),
        /* @__PURE__ */ a4("code", { children: [
          "http://127.0.0.1:8080",
          base,
          "/ui/"
        ] })
      ] })
    ] })
  ] });
}
function next() {
  const wanted = param("next");
  const url = new URL(wanted || pageOf([]), location.href);
  const ours = url.origin === location.origin && url.pathname.startsWith(base + "/ui/") && wanted.startsWith("/");
  return ours ? url.pathname + url.search : pageOf([]);
}

// app/lateness.tsx
var classes = 17;
var bound = (i4) => 2 ** Math.min(i4, classes - 2);
function Lateness({ of }) {
  const m5 = say.value.overview;
  const name = (i4) => (i4 < classes - 1 ? m5.below : m5.from)(duration(bound(i4)));
  const buckets = of?.buckets ?? [];
  const highest = Math.max(1, ...buckets);
  const some = buckets.flatMap((n3, i4) => n3 > 0 ? [{ i: i4, n: n3 }] : []);
  const words = some.map(({ i: i4, n: n3 }) => `${name(i4)}: ${count(n3)}`).join(", ");
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.lateness }),
    /* @__PURE__ */ a4("p", { class: "about", children: m5.latenessAbout }),
    /* @__PURE__ */ a4("div", { class: "pictured", children: [
      /* @__PURE__ */ a4("div", { children: [
        /* @__PURE__ */ a4("dl", { class: "facts", children: [
          /* @__PURE__ */ a4(Fact, { name: "p50", children: of?.count ? duration(of.p50_ms) : "–" }),
          /* @__PURE__ */ a4(Fact, { name: "p99", children: of?.count ? duration(of.p99_ms) : "–" }),
          /* @__PURE__ */ a4(Fact, { name: m5.longest, children: of?.count ? duration(of.max_ms) : "–" })
        ] }),
        /* @__PURE__ */ a4("div", { class: "histogram", role: "img", "aria-label": m5.latenessInWords(count(of?.count ?? 0), words || "0"), children: Array.from({ length: classes }, (_6, i4) => /* @__PURE__ */ a4("div", { class: "column", children: [
          /* @__PURE__ */ a4("div", { class: "room", children: /* @__PURE__ */ a4("div", { class: buckets[i4] ? "fill some" : "fill", style: { height: `${100 * (buckets[i4] ?? 0) / highest}%` } }) }),
          /* @__PURE__ */ a4("span", { children: i4 < classes - 1 ? duration(bound(i4)) : "…" })
        ] }, i4)) })
      ] }),
      /* @__PURE__ */ a4("div", { children: /* @__PURE__ */ a4(Table, { name: m5.lateness, columns: say.value.columns.lateness, figures: 2, empty: some.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.nothingBegan }), children: some.map(({ i: i4, n: n3 }) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("td", { children: name(i4) }),
        /* @__PURE__ */ a4("td", { class: "number", children: count(n3) })
      ] }, i4)) }) })
    ] })
  ] });
}

// vendor/uplot/uPlot.esm.js
var FEAT_TIME = true;
var pre = "u-";
var UPLOT = "uplot";
var ORI_HZ = pre + "hz";
var ORI_VT = pre + "vt";
var TITLE = pre + "title";
var WRAP = pre + "wrap";
var UNDER = pre + "under";
var OVER = pre + "over";
var AXIS = pre + "axis";
var OFF = pre + "off";
var SELECT = pre + "select";
var CURSOR_X = pre + "cursor-x";
var CURSOR_Y = pre + "cursor-y";
var CURSOR_PT = pre + "cursor-pt";
var LEGEND = pre + "legend";
var LEGEND_LIVE = pre + "live";
var LEGEND_INLINE = pre + "inline";
var LEGEND_SERIES = pre + "series";
var LEGEND_MARKER = pre + "marker";
var LEGEND_LABEL = pre + "label";
var LEGEND_VALUE = pre + "value";
var WIDTH = "width";
var HEIGHT = "height";
var TOP = "top";
var BOTTOM = "bottom";
var LEFT = "left";
var RIGHT = "right";
var hexBlack = "#000";
var transparent = hexBlack + "0";
var mousemove = "mousemove";
var mousedown = "mousedown";
var mouseup = "mouseup";
var mouseenter = "mouseenter";
var mouseleave = "mouseleave";
var dblclick = "dblclick";
var resize = "resize";
var scroll = "scroll";
var change = "change";
var dppxchange = "dppxchange";
var LEGEND_DISP = "--";
var domEnv = typeof window != "undefined";
var doc = domEnv ? document : null;
var win = domEnv ? window : null;
var nav = domEnv ? navigator : null;
var pxRatio;
var query;
function setPxRatio() {
  let _pxRatio = devicePixelRatio;
  if (pxRatio != _pxRatio) {
    pxRatio = _pxRatio;
    query && off(change, query, setPxRatio);
    query = matchMedia(`(min-resolution: ${pxRatio - 1e-3}dppx) and (max-resolution: ${pxRatio + 1e-3}dppx)`);
    on(change, query, setPxRatio);
    win.dispatchEvent(new CustomEvent(dppxchange));
  }
}
function addClass(el, c4) {
  if (c4 != null) {
    let cl = el.classList;
    !cl.contains(c4) && cl.add(c4);
  }
}
function remClass(el, c4) {
  let cl = el.classList;
  cl.contains(c4) && cl.remove(c4);
}
function setStylePx(el, name, value) {
  el.style[name] = value + "px";
}
function placeTag(tag, cls, targ, refEl) {
  let el = doc.createElement(tag);
  if (cls != null)
    addClass(el, cls);
  if (targ != null)
    targ.insertBefore(el, refEl);
  return el;
}
function placeDiv(cls, targ) {
  return placeTag("div", cls, targ);
}
var xformCache = /* @__PURE__ */ new WeakMap();
function elTrans(el, xPos, yPos, xMax, yMax) {
  let xform = "translate(" + xPos + "px," + yPos + "px)";
  let xformOld = xformCache.get(el);
  if (xform != xformOld) {
    el.style.transform = xform;
    xformCache.set(el, xform);
    if (xPos < 0 || yPos < 0 || xPos > xMax || yPos > yMax)
      addClass(el, OFF);
    else
      remClass(el, OFF);
  }
}
var colorCache = /* @__PURE__ */ new WeakMap();
function elColor(el, background, borderColor) {
  let newColor = background + borderColor;
  let oldColor = colorCache.get(el);
  if (newColor != oldColor) {
    colorCache.set(el, newColor);
    el.style.background = background;
    el.style.borderColor = borderColor;
  }
}
var sizeCache = /* @__PURE__ */ new WeakMap();
function elSize(el, newWid, newHgt, centered) {
  let newSize = newWid + "" + newHgt;
  let oldSize = sizeCache.get(el);
  if (newSize != oldSize) {
    sizeCache.set(el, newSize);
    el.style.height = newHgt + "px";
    el.style.width = newWid + "px";
    el.style.marginLeft = centered ? -newWid / 2 + "px" : 0;
    el.style.marginTop = centered ? -newHgt / 2 + "px" : 0;
  }
}
var evOpts = { passive: true };
var evOpts2 = { ...evOpts, capture: true };
function on(ev, el, cb, capt) {
  el.addEventListener(ev, cb, capt ? evOpts2 : evOpts);
}
function off(ev, el, cb, capt) {
  el.removeEventListener(ev, cb, evOpts);
}
domEnv && setPxRatio();
function closestIdx(num, arr, lo, hi) {
  let mid;
  lo = lo || 0;
  hi = hi || arr.length - 1;
  let bitwise = hi <= 2147483647;
  while (hi - lo > 1) {
    mid = bitwise ? lo + hi >> 1 : floor((lo + hi) / 2);
    if (arr[mid] < num)
      lo = mid;
    else
      hi = mid;
  }
  if (num - arr[lo] <= arr[hi] - num)
    return lo;
  return hi;
}
function makeIndexOfs(predicate) {
  let indexOfs = (data, _i0, _i1) => {
    let i0 = -1;
    let i1 = -1;
    for (let i4 = _i0; i4 <= _i1; i4++) {
      if (predicate(data[i4])) {
        i0 = i4;
        break;
      }
    }
    for (let i4 = _i1; i4 >= _i0; i4--) {
      if (predicate(data[i4])) {
        i1 = i4;
        break;
      }
    }
    return [i0, i1];
  };
  return indexOfs;
}
var notNullish = (v5) => v5 != null;
var isPositive = (v5) => v5 != null && v5 > 0;
var nonNullIdxs = makeIndexOfs(notNullish);
var positiveIdxs = makeIndexOfs(isPositive);
function getMinMax(data, _i0, _i1, sorted = 0, log = false) {
  let getEdgeIdxs = log ? positiveIdxs : nonNullIdxs;
  let predicate = log ? isPositive : notNullish;
  [_i0, _i1] = getEdgeIdxs(data, _i0, _i1);
  let _min = data[_i0];
  let _max = data[_i0];
  if (_i0 > -1) {
    if (sorted == 1) {
      _min = data[_i0];
      _max = data[_i1];
    } else if (sorted == -1) {
      _min = data[_i1];
      _max = data[_i0];
    } else {
      for (let i4 = _i0; i4 <= _i1; i4++) {
        let v5 = data[i4];
        if (predicate(v5)) {
          if (v5 < _min)
            _min = v5;
          else if (v5 > _max)
            _max = v5;
        }
      }
    }
  }
  return [_min ?? inf, _max ?? -inf];
}
function rangeLog(min2, max2, base2, fullMags) {
  let minSign = sign(min2);
  let maxSign = sign(max2);
  if (min2 == max2) {
    if (minSign == -1) {
      min2 *= base2;
      max2 /= base2;
    } else {
      min2 /= base2;
      max2 *= base2;
    }
  }
  let logFn = base2 == 10 ? log10 : log2;
  let growMinAbs = minSign == 1 ? floor : ceil;
  let growMaxAbs = maxSign == 1 ? ceil : floor;
  let minExp = growMinAbs(logFn(abs(min2)));
  let maxExp = growMaxAbs(logFn(abs(max2)));
  let minIncr = pow(base2, minExp);
  let maxIncr = pow(base2, maxExp);
  if (base2 == 10) {
    if (minExp < 0)
      minIncr = roundDec(minIncr, -minExp);
    if (maxExp < 0)
      maxIncr = roundDec(maxIncr, -maxExp);
  }
  if (fullMags || base2 == 2) {
    min2 = minIncr * minSign;
    max2 = maxIncr * maxSign;
  } else {
    min2 = incrRoundDn(min2, minIncr);
    max2 = incrRoundUp(max2, maxIncr);
  }
  return [min2, max2];
}
function rangeAsinh(min2, max2, base2, fullMags) {
  let minMax = rangeLog(min2, max2, base2, fullMags);
  if (min2 == 0)
    minMax[0] = 0;
  if (max2 == 0)
    minMax[1] = 0;
  return minMax;
}
var rangePad = 0.1;
var autoRangePart = {
  mode: 3,
  pad: rangePad
};
var _eqRangePart = {
  pad: 0,
  soft: null,
  mode: 0
};
var _eqRange = {
  min: _eqRangePart,
  max: _eqRangePart
};
function rangeNum(_min, _max, mult, extra) {
  if (isObj(mult))
    return _rangeNum(_min, _max, mult);
  _eqRangePart.pad = mult;
  _eqRangePart.soft = extra ? 0 : null;
  _eqRangePart.mode = extra ? 3 : 0;
  return _rangeNum(_min, _max, _eqRange);
}
function ifNull(lh, rh) {
  return lh == null ? rh : lh;
}
function hasData(data, idx0, idx1) {
  idx0 = ifNull(idx0, 0);
  idx1 = ifNull(idx1, data.length - 1);
  while (idx0 <= idx1) {
    if (data[idx0] != null)
      return true;
    idx0++;
  }
  return false;
}
function _rangeNum(_min, _max, cfg) {
  let cmin = cfg.min;
  let cmax = cfg.max;
  let padMin = ifNull(cmin.pad, 0);
  let padMax = ifNull(cmax.pad, 0);
  let hardMin = ifNull(cmin.hard, -inf);
  let hardMax = ifNull(cmax.hard, inf);
  let softMin = ifNull(cmin.soft, inf);
  let softMax = ifNull(cmax.soft, -inf);
  let softMinMode = ifNull(cmin.mode, 0);
  let softMaxMode = ifNull(cmax.mode, 0);
  let delta = _max - _min;
  let deltaMag = log10(delta);
  let scalarMax = max(abs(_min), abs(_max));
  let scalarMag = log10(scalarMax);
  let scalarMagDelta = abs(scalarMag - deltaMag);
  if (delta < 1e-24 || scalarMagDelta > 10) {
    delta = 0;
    if (_min == 0 || _max == 0) {
      delta = 1e-24;
      if (softMinMode == 2 && softMin != inf)
        padMin = 0;
      if (softMaxMode == 2 && softMax != -inf)
        padMax = 0;
    }
  }
  let nonZeroDelta = delta || scalarMax || 1e3;
  let mag = log10(nonZeroDelta);
  let base2 = pow(10, floor(mag));
  let _padMin = nonZeroDelta * (delta == 0 ? _min == 0 ? 0.1 : 1 : padMin);
  let _newMin = roundDec(incrRoundDn(_min - _padMin, base2 / 10), 24);
  let _softMin = _min >= softMin && (softMinMode == 1 || softMinMode == 3 && _newMin <= softMin || softMinMode == 2 && _newMin >= softMin) ? softMin : inf;
  let minLim = max(hardMin, _newMin < _softMin && _min >= _softMin ? _softMin : min(_softMin, _newMin));
  let _padMax = nonZeroDelta * (delta == 0 ? _max == 0 ? 0.1 : 1 : padMax);
  let _newMax = roundDec(incrRoundUp(_max + _padMax, base2 / 10), 24);
  let _softMax = _max <= softMax && (softMaxMode == 1 || softMaxMode == 3 && _newMax >= softMax || softMaxMode == 2 && _newMax <= softMax) ? softMax : -inf;
  let maxLim = min(hardMax, _newMax > _softMax && _max <= _softMax ? _softMax : max(_softMax, _newMax));
  if (minLim == maxLim && minLim == 0)
    maxLim = 100;
  return [minLim, maxLim];
}
var numFormatter = new Intl.NumberFormat(domEnv ? nav.language : "en-US");
var fmtNum = (val) => numFormatter.format(val);
var M2 = Math;
var PI = M2.PI;
var abs = M2.abs;
var floor = M2.floor;
var round = M2.round;
var ceil = M2.ceil;
var min = M2.min;
var max = M2.max;
var pow = M2.pow;
var sign = M2.sign;
var log10 = M2.log10;
var log2 = M2.log2;
var sinh = (v5, linthresh = 1) => M2.sinh(v5) * linthresh;
var asinh = (v5, linthresh = 1) => M2.asinh(v5 / linthresh);
var inf = Infinity;
function numIntDigits(x4) {
  return (log10((x4 ^ x4 >> 31) - (x4 >> 31)) | 0) + 1;
}
function clamp(num, _min, _max) {
  return min(max(num, _min), _max);
}
function isFn(v5) {
  return typeof v5 == "function";
}
function fnOrSelf(v5) {
  return isFn(v5) ? v5 : () => v5;
}
var noop = () => {
};
var retArg0 = (_0) => _0;
var retArg1 = (_0, _1) => _1;
var retNull = (_6) => null;
var retTrue = (_6) => true;
var retEq = (a5, b3) => a5 == b3;
var regex6 = /\.\d*?(?=9{6,}|0{6,})/gm;
var fixFloat = (val) => {
  if (isInt(val) || fixedDec.has(val))
    return val;
  const str = `${val}`;
  const match = str.match(regex6);
  if (match == null)
    return val;
  let len = match[0].length - 1;
  if (str.indexOf("e-") != -1) {
    let [num, exp] = str.split("e");
    return +`${fixFloat(num)}e${exp}`;
  }
  return roundDec(val, len);
};
function incrRound(num, incr) {
  return fixFloat(roundDec(fixFloat(num / incr)) * incr);
}
function incrRoundUp(num, incr) {
  return fixFloat(ceil(fixFloat(num / incr)) * incr);
}
function incrRoundDn(num, incr) {
  return fixFloat(floor(fixFloat(num / incr)) * incr);
}
function roundDec(val, dec = 0) {
  if (isInt(val))
    return val;
  let p5 = 10 ** dec;
  let n3 = val * p5 * (1 + Number.EPSILON);
  return round(n3) / p5;
}
var fixedDec = /* @__PURE__ */ new Map();
function guessDec(num) {
  return (("" + num).split(".")[1] || "").length;
}
function genIncrs(base2, minExp, maxExp, mults) {
  let incrs = [];
  let multDec = mults.map(guessDec);
  for (let exp = minExp; exp < maxExp; exp++) {
    let expa = abs(exp);
    let mag = roundDec(pow(base2, exp), expa);
    for (let i4 = 0; i4 < mults.length; i4++) {
      let _incr = base2 == 10 ? +`${mults[i4]}e${exp}` : mults[i4] * mag;
      let dec = (exp >= 0 ? 0 : expa) + (exp >= multDec[i4] ? 0 : multDec[i4]);
      let incr = base2 == 10 ? _incr : roundDec(_incr, dec);
      incrs.push(incr);
      fixedDec.set(incr, dec);
    }
  }
  return incrs;
}
var EMPTY_OBJ = {};
var EMPTY_ARR = [];
var nullNullTuple = [null, null];
var isArr = Array.isArray;
var isInt = Number.isInteger;
var isUndef = (v5) => v5 === void 0;
function isStr(v5) {
  return typeof v5 == "string";
}
function isObj(v5) {
  let is = false;
  if (v5 != null) {
    let c4 = v5.constructor;
    is = c4 == null || c4 == Object;
  }
  return is;
}
function fastIsObj(v5) {
  return v5 != null && typeof v5 == "object";
}
var TypedArray = Object.getPrototypeOf(Uint8Array);
var __proto__ = "__proto__";
function copy(o5, _isObj = isObj) {
  let out;
  if (isArr(o5)) {
    let val = o5.find((v5) => v5 != null);
    if (isArr(val) || _isObj(val)) {
      out = Array(o5.length);
      for (let i4 = 0; i4 < o5.length; i4++)
        out[i4] = copy(o5[i4], _isObj);
    } else
      out = o5.slice();
  } else if (o5 instanceof TypedArray)
    out = o5.slice();
  else if (_isObj(o5)) {
    out = {};
    for (let k5 in o5) {
      if (k5 != __proto__)
        out[k5] = copy(o5[k5], _isObj);
    }
  } else
    out = o5;
  return out;
}
function assign(targ) {
  let args = arguments;
  for (let i4 = 1; i4 < args.length; i4++) {
    let src = args[i4];
    for (let key in src) {
      if (key != __proto__) {
        if (isObj(targ[key]))
          assign(targ[key], copy(src[key]));
        else
          targ[key] = copy(src[key]);
      }
    }
  }
  return targ;
}
var NULL_REMOVE = 0;
var NULL_RETAIN = 1;
var NULL_EXPAND = 2;
function nullExpand(yVals, nullIdxs, alignedLen) {
  for (let i4 = 0, xi, lastNullIdx = -1; i4 < nullIdxs.length; i4++) {
    let nullIdx = nullIdxs[i4];
    if (nullIdx > lastNullIdx) {
      xi = nullIdx - 1;
      while (xi >= 0 && yVals[xi] == null)
        yVals[xi--] = null;
      xi = nullIdx + 1;
      while (xi < alignedLen && yVals[xi] == null)
        yVals[lastNullIdx = xi++] = null;
    }
  }
}
function join(tables, nullModes) {
  if (allHeadersSame(tables)) {
    let table = tables[0].slice();
    for (let i4 = 1; i4 < tables.length; i4++)
      table.push(...tables[i4].slice(1));
    if (!isAsc(table[0]))
      table = sortCols(table);
    return table;
  }
  let xVals = /* @__PURE__ */ new Set();
  for (let ti = 0; ti < tables.length; ti++) {
    let t4 = tables[ti];
    let xs = t4[0];
    let len = xs.length;
    for (let i4 = 0; i4 < len; i4++)
      xVals.add(xs[i4]);
  }
  let data = [Array.from(xVals).sort((a5, b3) => a5 - b3)];
  let alignedLen = data[0].length;
  let xIdxs = /* @__PURE__ */ new Map();
  for (let i4 = 0; i4 < alignedLen; i4++)
    xIdxs.set(data[0][i4], i4);
  for (let ti = 0; ti < tables.length; ti++) {
    let t4 = tables[ti];
    let xs = t4[0];
    for (let si = 1; si < t4.length; si++) {
      let ys = t4[si];
      let yVals = Array(alignedLen).fill(void 0);
      let nullMode = nullModes ? nullModes[ti][si] : NULL_RETAIN;
      let nullIdxs = [];
      for (let i4 = 0; i4 < ys.length; i4++) {
        let yVal = ys[i4];
        let alignedIdx = xIdxs.get(xs[i4]);
        if (yVal === null) {
          if (nullMode != NULL_REMOVE) {
            yVals[alignedIdx] = yVal;
            if (nullMode == NULL_EXPAND)
              nullIdxs.push(alignedIdx);
          }
        } else
          yVals[alignedIdx] = yVal;
      }
      nullExpand(yVals, nullIdxs, alignedLen);
      data.push(yVals);
    }
  }
  return data;
}
var microTask = typeof queueMicrotask == "undefined" ? (fn) => Promise.resolve().then(fn) : queueMicrotask;
function sortCols(table) {
  let head = table[0];
  let rlen = head.length;
  let idxs = Array(rlen);
  for (let i4 = 0; i4 < idxs.length; i4++)
    idxs[i4] = i4;
  idxs.sort((i0, i1) => head[i0] - head[i1]);
  let table2 = [];
  for (let i4 = 0; i4 < table.length; i4++) {
    let row = table[i4];
    let row2 = Array(rlen);
    for (let j3 = 0; j3 < rlen; j3++)
      row2[j3] = row[idxs[j3]];
    table2.push(row2);
  }
  return table2;
}
function allHeadersSame(tables) {
  let vals0 = tables[0][0];
  let len0 = vals0.length;
  for (let i4 = 1; i4 < tables.length; i4++) {
    let vals1 = tables[i4][0];
    if (vals1.length != len0)
      return false;
    if (vals1 != vals0) {
      for (let j3 = 0; j3 < len0; j3++) {
        if (vals1[j3] != vals0[j3])
          return false;
      }
    }
  }
  return true;
}
function isAsc(vals, samples = 100) {
  const len = vals.length;
  if (len <= 1)
    return true;
  let firstIdx = 0;
  let lastIdx = len - 1;
  while (firstIdx <= lastIdx && vals[firstIdx] == null)
    firstIdx++;
  while (lastIdx >= firstIdx && vals[lastIdx] == null)
    lastIdx--;
  if (lastIdx <= firstIdx)
    return true;
  const stride = max(1, floor((lastIdx - firstIdx + 1) / samples));
  for (let prevVal = vals[firstIdx], i4 = firstIdx + stride; i4 <= lastIdx; i4 += stride) {
    const v5 = vals[i4];
    if (v5 != null) {
      if (v5 <= prevVal)
        return false;
      prevVal = v5;
    }
  }
  return true;
}
var months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
];
var days = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday"
];
function slice3(str) {
  return str.slice(0, 3);
}
var days3 = days.map(slice3);
var months3 = months.map(slice3);
var engNames = {
  MMMM: months,
  MMM: months3,
  WWWW: days,
  WWW: days3
};
function zeroPad2(int) {
  return (int < 10 ? "0" : "") + int;
}
function zeroPad3(int) {
  return (int < 10 ? "00" : int < 100 ? "0" : "") + int;
}
var subs = {
  // 2019
  YYYY: (d5) => d5.getFullYear(),
  // 19
  YY: (d5) => (d5.getFullYear() + "").slice(2),
  // July
  MMMM: (d5, names2) => names2.MMMM[d5.getMonth()],
  // Jul
  MMM: (d5, names2) => names2.MMM[d5.getMonth()],
  // 07
  MM: (d5) => zeroPad2(d5.getMonth() + 1),
  // 7
  M: (d5) => d5.getMonth() + 1,
  // 09
  DD: (d5) => zeroPad2(d5.getDate()),
  // 9
  D: (d5) => d5.getDate(),
  // Monday
  WWWW: (d5, names2) => names2.WWWW[d5.getDay()],
  // Mon
  WWW: (d5, names2) => names2.WWW[d5.getDay()],
  // 03
  HH: (d5) => zeroPad2(d5.getHours()),
  // 3
  H: (d5) => d5.getHours(),
  // 9 (12hr, unpadded)
  h: (d5) => {
    let h4 = d5.getHours();
    return h4 == 0 ? 12 : h4 > 12 ? h4 - 12 : h4;
  },
  // AM
  AA: (d5) => d5.getHours() >= 12 ? "PM" : "AM",
  // am
  aa: (d5) => d5.getHours() >= 12 ? "pm" : "am",
  // a
  a: (d5) => d5.getHours() >= 12 ? "p" : "a",
  // 09
  mm: (d5) => zeroPad2(d5.getMinutes()),
  // 9
  m: (d5) => d5.getMinutes(),
  // 09
  ss: (d5) => zeroPad2(d5.getSeconds()),
  // 9
  s: (d5) => d5.getSeconds(),
  // 374
  fff: (d5) => zeroPad3(d5.getMilliseconds())
};
function fmtDate(tpl, names2) {
  names2 = names2 || engNames;
  let parts = [];
  let R = /\{([a-z]+)\}|[^{]+/gi, m5;
  while (m5 = R.exec(tpl))
    parts.push(m5[0][0] == "{" ? subs[m5[1]] : m5[0]);
  return (d5) => {
    let out = "";
    for (let i4 = 0; i4 < parts.length; i4++)
      out += typeof parts[i4] == "string" ? parts[i4] : parts[i4](d5, names2);
    return out;
  };
}
var localTz = new Intl.DateTimeFormat().resolvedOptions().timeZone;
function tzDate(date, tz2) {
  let date2;
  if (tz2 == "UTC" || tz2 == "Etc/UTC")
    date2 = new Date(+date + date.getTimezoneOffset() * 6e4);
  else if (tz2 == localTz)
    date2 = date;
  else {
    date2 = new Date(date.toLocaleString("en-US", { timeZone: tz2 }));
    date2.setMilliseconds(date.getMilliseconds());
  }
  return date2;
}
var onlyWhole = (v5) => v5 % 1 == 0;
var allMults = [1, 2, 2.5, 5];
var decIncrs = genIncrs(10, -32, 0, allMults);
var oneIncrs = genIncrs(10, 0, 32, allMults);
var wholeIncrs = oneIncrs.filter(onlyWhole);
var numIncrs = decIncrs.concat(oneIncrs);
var NL = "\n";
var yyyy = "{YYYY}";
var NLyyyy = NL + yyyy;
var md = "{M}/{D}";
var NLmd = NL + md;
var NLmdyy = NLmd + "/{YY}";
var aa = "{aa}";
var hmm = "{h}:{mm}";
var hmmaa = hmm + aa;
var NLhmmaa = NL + hmmaa;
var ss = ":{ss}";
var _5 = null;
function genTimeStuffs(ms) {
  let s4 = ms * 1e3, m5 = s4 * 60, h4 = m5 * 60, d5 = h4 * 24, mo = d5 * 30, y5 = d5 * 365;
  let subSecIncrs = ms == 1 ? genIncrs(10, 0, 3, allMults).filter(onlyWhole) : genIncrs(10, -3, 0, allMults);
  let timeIncrs = subSecIncrs.concat([
    // minute divisors (# of secs)
    s4,
    s4 * 5,
    s4 * 10,
    s4 * 15,
    s4 * 30,
    // hour divisors (# of mins)
    m5,
    m5 * 5,
    m5 * 10,
    m5 * 15,
    m5 * 30,
    // day divisors (# of hrs)
    h4,
    h4 * 2,
    h4 * 3,
    h4 * 4,
    h4 * 6,
    h4 * 8,
    h4 * 12,
    // month divisors TODO: need more?
    d5,
    d5 * 2,
    d5 * 3,
    d5 * 4,
    d5 * 5,
    d5 * 6,
    d5 * 7,
    d5 * 8,
    d5 * 9,
    d5 * 10,
    d5 * 15,
    // year divisors (# months, approx)
    mo,
    mo * 2,
    mo * 3,
    mo * 4,
    mo * 6,
    // century divisors
    y5,
    y5 * 2,
    y5 * 5,
    y5 * 10,
    y5 * 25,
    y5 * 50,
    y5 * 100
  ]);
  const _timeAxisStamps = [
    //   tick incr    default          year                    month   day                   hour    min       sec   mode
    [y5, yyyy, _5, _5, _5, _5, _5, _5, 1],
    [d5 * 28, "{MMM}", NLyyyy, _5, _5, _5, _5, _5, 1],
    [d5, md, NLyyyy, _5, _5, _5, _5, _5, 1],
    [h4, "{h}" + aa, NLmdyy, _5, NLmd, _5, _5, _5, 1],
    [m5, hmmaa, NLmdyy, _5, NLmd, _5, _5, _5, 1],
    [s4, ss, NLmdyy + " " + hmmaa, _5, NLmd + " " + hmmaa, _5, NLhmmaa, _5, 1],
    [ms, ss + ".{fff}", NLmdyy + " " + hmmaa, _5, NLmd + " " + hmmaa, _5, NLhmmaa, _5, 1]
  ];
  function timeAxisSplits(tzDate2) {
    return (self, axisIdx, scaleMin, scaleMax, foundIncr, foundSpace) => {
      let splits = [];
      let isYr = foundIncr >= y5;
      let isMo = foundIncr >= mo && foundIncr < y5;
      let minDate = tzDate2(scaleMin);
      let minDateTs = roundDec(minDate * ms, 3);
      let minMin = mkDate(minDate.getFullYear(), isYr ? 0 : minDate.getMonth(), isMo || isYr ? 1 : minDate.getDate());
      let minMinTs = roundDec(minMin * ms, 3);
      if (isMo || isYr) {
        let moIncr = isMo ? foundIncr / mo : 0;
        let yrIncr = isYr ? foundIncr / y5 : 0;
        let split = minDateTs == minMinTs ? minDateTs : roundDec(mkDate(minMin.getFullYear() + yrIncr, minMin.getMonth() + moIncr, 1) * ms, 3);
        let splitDate = new Date(round(split / ms));
        let baseYear = splitDate.getFullYear();
        let baseMonth = splitDate.getMonth();
        for (let i4 = 0; split <= scaleMax; i4++) {
          let next2 = mkDate(baseYear + yrIncr * i4, baseMonth + moIncr * i4, 1);
          let offs = next2 - tzDate2(roundDec(next2 * ms, 3));
          split = roundDec((+next2 + offs) * ms, 3);
          if (split <= scaleMax)
            splits.push(split);
        }
      } else {
        let incr0 = foundIncr >= d5 ? d5 : foundIncr;
        let tzOffset = floor(scaleMin) - floor(minDateTs);
        let split = minMinTs + tzOffset + incrRoundUp(minDateTs - minMinTs, incr0);
        splits.push(split);
        let date0 = tzDate2(split);
        let prevHour = date0.getHours() + date0.getMinutes() / m5 + date0.getSeconds() / h4;
        let incrHours = foundIncr / h4;
        let minSpace = self.axes[axisIdx]._space;
        let pctSpace = foundSpace / minSpace;
        while (1) {
          split = roundDec(split + foundIncr, ms == 1 ? 0 : 3);
          if (split > scaleMax)
            break;
          if (incrHours > 1) {
            let expectedHour = floor(roundDec(prevHour + incrHours, 6)) % 24;
            let splitDate = tzDate2(split);
            let actualHour = splitDate.getHours();
            let dstShift = actualHour - expectedHour;
            if (dstShift > 1)
              dstShift = -1;
            split -= dstShift * h4;
            prevHour = (prevHour + incrHours) % 24;
            let prevSplit = splits[splits.length - 1];
            let pctIncr = roundDec((split - prevSplit) / foundIncr, 3);
            if (pctIncr * pctSpace >= 0.7)
              splits.push(split);
          } else
            splits.push(split);
        }
      }
      return splits;
    };
  }
  return [
    timeIncrs,
    _timeAxisStamps,
    timeAxisSplits
  ];
}
var [timeIncrsMs, _timeAxisStampsMs, timeAxisSplitsMs] = genTimeStuffs(1);
var [timeIncrsS, _timeAxisStampsS, timeAxisSplitsS] = genTimeStuffs(1e-3);
genIncrs(2, -53, 53, [1]);
function timeAxisStamps(stampCfg, fmtDate2) {
  return stampCfg.map((s4) => s4.map(
    (v5, i4) => i4 == 0 || i4 == 8 || v5 == null ? v5 : fmtDate2(i4 == 1 || s4[8] == 0 ? v5 : s4[1] + v5)
  ));
}
function timeAxisVals(tzDate2, stamps) {
  return (self, splits, axisIdx, foundSpace, foundIncr) => {
    let s4 = stamps.find((s5) => foundIncr >= s5[0]) || stamps[stamps.length - 1];
    let prevYear;
    let prevMnth;
    let prevDate;
    let prevHour;
    let prevMins;
    let prevSecs;
    return splits.map((split) => {
      let date = tzDate2(split);
      let newYear = date.getFullYear();
      let newMnth = date.getMonth();
      let newDate = date.getDate();
      let newHour = date.getHours();
      let newMins = date.getMinutes();
      let newSecs = date.getSeconds();
      let stamp = newYear != prevYear && s4[2] || newMnth != prevMnth && s4[3] || newDate != prevDate && s4[4] || newHour != prevHour && s4[5] || newMins != prevMins && s4[6] || newSecs != prevSecs && s4[7] || s4[1];
      prevYear = newYear;
      prevMnth = newMnth;
      prevDate = newDate;
      prevHour = newHour;
      prevMins = newMins;
      prevSecs = newSecs;
      return stamp(date);
    });
  };
}
function timeAxisVal(tzDate2, dateTpl) {
  let stamp = fmtDate(dateTpl);
  return (self, splits, axisIdx, foundSpace, foundIncr) => splits.map((split) => stamp(tzDate2(split)));
}
function mkDate(y5, m5, d5) {
  return new Date(y5, m5, d5);
}
function timeSeriesStamp(stampCfg, fmtDate2) {
  return fmtDate2(stampCfg);
}
var _timeSeriesStamp = "{YYYY}-{MM}-{DD} {h}:{mm}{aa}";
function timeSeriesVal(tzDate2, stamp) {
  return (self, val, seriesIdx, dataIdx) => dataIdx == null ? LEGEND_DISP : stamp(tzDate2(val));
}
function legendStroke(self, seriesIdx) {
  let s4 = self.series[seriesIdx];
  return s4.width ? s4.stroke(self, seriesIdx) : s4.points.width ? s4.points.stroke(self, seriesIdx) : null;
}
function legendFill(self, seriesIdx) {
  return self.series[seriesIdx].fill(self, seriesIdx);
}
var legendOpts = {
  show: true,
  live: true,
  isolate: false,
  mount: noop,
  markers: {
    show: true,
    width: 2,
    stroke: legendStroke,
    fill: legendFill,
    dash: "solid"
  },
  idx: null,
  idxs: null,
  values: []
};
function cursorPointShow(self, si) {
  let o5 = self.cursor.points;
  let pt = placeDiv();
  let size2 = o5.size(self, si);
  setStylePx(pt, WIDTH, size2);
  setStylePx(pt, HEIGHT, size2);
  let mar = size2 / -2;
  setStylePx(pt, "marginLeft", mar);
  setStylePx(pt, "marginTop", mar);
  let width2 = o5.width(self, si, size2);
  width2 && setStylePx(pt, "borderWidth", width2);
  return pt;
}
function cursorPointFill(self, si) {
  let sp = self.series[si].points;
  return sp._fill || sp._stroke;
}
function cursorPointStroke(self, si) {
  let sp = self.series[si].points;
  return sp._stroke || sp._fill;
}
function cursorPointSize(self, si) {
  let sp = self.series[si].points;
  return sp.size;
}
var moveTuple = [0, 0];
function cursorMove(self, mouseLeft1, mouseTop1) {
  moveTuple[0] = mouseLeft1;
  moveTuple[1] = mouseTop1;
  return moveTuple;
}
function filtBtn0(self, targ, handle, onlyTarg = true) {
  return (e4) => {
    e4.button == 0 && (!onlyTarg || e4.target == targ) && handle(e4);
  };
}
function filtTarg(self, targ, handle, onlyTarg = true) {
  return (e4) => {
    (!onlyTarg || e4.target == targ) && handle(e4);
  };
}
var cursorOpts = {
  show: true,
  x: true,
  y: true,
  lock: false,
  move: cursorMove,
  points: {
    one: false,
    show: cursorPointShow,
    size: cursorPointSize,
    width: 0,
    stroke: cursorPointStroke,
    fill: cursorPointFill
  },
  bind: {
    mousedown: filtBtn0,
    mouseup: filtBtn0,
    click: filtBtn0,
    // legend clicks, not .u-over clicks
    dblclick: filtBtn0,
    mousemove: filtTarg,
    mouseleave: filtTarg,
    mouseenter: filtTarg
  },
  drag: {
    setScale: true,
    x: true,
    y: false,
    dist: 0,
    uni: null,
    click: (self, e4) => {
      e4.stopPropagation();
      e4.stopImmediatePropagation();
    },
    _x: false,
    _y: false
  },
  focus: {
    dist: (self, seriesIdx, dataIdx, valPos, curPos) => valPos - curPos,
    prox: -1,
    bias: 0
  },
  hover: {
    skip: [void 0],
    prox: null,
    bias: 0
  },
  left: -10,
  top: -10,
  idx: null,
  dataIdx: null,
  idxs: null,
  event: null
};
var axisLines = {
  show: true,
  stroke: "rgba(0,0,0,0.07)",
  width: 2
  //	dash: [],
};
var grid = assign({}, axisLines, {
  filter: retArg1
});
var ticks = assign({}, grid, {
  size: 10
});
var border = assign({}, axisLines, {
  show: false
});
var font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"';
var labelFont = "bold " + font;
var lineGap = 1.5;
var xAxisOpts = {
  show: true,
  scale: "x",
  stroke: hexBlack,
  space: 50,
  gap: 5,
  alignTo: 1,
  size: 50,
  labelGap: 0,
  labelSize: 30,
  labelFont,
  side: 2,
  //	class: "x-vals",
  //	incrs: timeIncrs,
  //	values: timeVals,
  //	filter: retArg1,
  grid,
  ticks,
  border,
  font,
  lineGap,
  rotate: 0
};
var numSeriesLabel = "Value";
var timeSeriesLabel = "Time";
var xSeriesOpts = {
  show: true,
  scale: "x",
  auto: false,
  sorted: 1,
  //	label: "Time",
  //	value: v => stamp(new Date(v * 1e3)),
  // internal caches
  min: inf,
  max: -inf,
  idxs: []
};
function numAxisVals(self, splits, axisIdx, foundSpace, foundIncr) {
  return splits.map((v5) => v5 == null ? "" : fmtNum(v5));
}
function numAxisSplits(self, axisIdx, scaleMin, scaleMax, foundIncr, foundSpace, forceMin) {
  let splits = [];
  let numDec = fixedDec.get(foundIncr) || 0;
  scaleMin = forceMin ? scaleMin : roundDec(incrRoundUp(scaleMin, foundIncr), numDec);
  for (let val = scaleMin; val <= scaleMax; val = roundDec(val + foundIncr, numDec))
    splits.push(Object.is(val, -0) ? 0 : val);
  return splits;
}
function logAxisSplits(self, axisIdx, scaleMin, scaleMax, foundIncr, foundSpace, forceMin) {
  const splits = [];
  const logBase = self.scales[self.axes[axisIdx].scale].log;
  const logFn = logBase == 10 ? log10 : log2;
  const exp = floor(logFn(scaleMin));
  foundIncr = pow(logBase, exp);
  if (logBase == 10)
    foundIncr = numIncrs[closestIdx(foundIncr, numIncrs)];
  let split = scaleMin;
  let nextMagIncr = foundIncr * logBase;
  if (logBase == 10)
    nextMagIncr = numIncrs[closestIdx(nextMagIncr, numIncrs)];
  do {
    splits.push(split);
    split = split + foundIncr;
    if (logBase == 10 && !fixedDec.has(split))
      split = roundDec(split, fixedDec.get(foundIncr));
    if (split >= nextMagIncr) {
      foundIncr = split;
      nextMagIncr = foundIncr * logBase;
      if (logBase == 10)
        nextMagIncr = numIncrs[closestIdx(nextMagIncr, numIncrs)];
    }
  } while (split <= scaleMax);
  return splits;
}
function asinhAxisSplits(self, axisIdx, scaleMin, scaleMax, foundIncr, foundSpace, forceMin) {
  let sc = self.scales[self.axes[axisIdx].scale];
  let linthresh = sc.asinh;
  let posSplits = scaleMax > linthresh ? logAxisSplits(self, axisIdx, max(linthresh, scaleMin), scaleMax, foundIncr) : [linthresh];
  let zero = scaleMax >= 0 && scaleMin <= 0 ? [0] : [];
  let negSplits = scaleMin < -linthresh ? logAxisSplits(self, axisIdx, max(linthresh, -scaleMax), -scaleMin, foundIncr) : [linthresh];
  return negSplits.reverse().map((v5) => -v5).concat(zero, posSplits);
}
var RE_ALL = /./;
var RE_12357 = /[12357]/;
var RE_125 = /[125]/;
var RE_1 = /1/;
var _filt = (splits, distr, re, keepMod) => splits.map((v5, i4) => distr == 4 && v5 == 0 || i4 % keepMod == 0 && re.test(v5.toExponential()[v5 < 0 ? 1 : 0]) ? v5 : null);
function log10AxisValsFilt(self, splits, axisIdx, foundSpace, foundIncr) {
  let axis = self.axes[axisIdx];
  let scaleKey = axis.scale;
  let sc = self.scales[scaleKey];
  let valToPos = self.valToPos;
  let minSpace = axis._space;
  let _10 = valToPos(10, scaleKey);
  let re = valToPos(9, scaleKey) - _10 >= minSpace ? RE_ALL : valToPos(7, scaleKey) - _10 >= minSpace ? RE_12357 : valToPos(5, scaleKey) - _10 >= minSpace ? RE_125 : RE_1;
  if (re == RE_1) {
    let magSpace = abs(valToPos(1, scaleKey) - _10);
    if (magSpace < minSpace)
      return _filt(splits.slice().reverse(), sc.distr, re, ceil(minSpace / magSpace)).reverse();
  }
  return _filt(splits, sc.distr, re, 1);
}
function log2AxisValsFilt(self, splits, axisIdx, foundSpace, foundIncr) {
  let axis = self.axes[axisIdx];
  let scaleKey = axis.scale;
  let minSpace = axis._space;
  let valToPos = self.valToPos;
  let magSpace = abs(valToPos(1, scaleKey) - valToPos(2, scaleKey));
  if (magSpace < minSpace)
    return _filt(splits.slice().reverse(), 3, RE_ALL, ceil(minSpace / magSpace)).reverse();
  return splits;
}
function numSeriesVal(self, val, seriesIdx, dataIdx) {
  return dataIdx == null ? LEGEND_DISP : val == null ? "" : fmtNum(val);
}
var yAxisOpts = {
  show: true,
  scale: "y",
  stroke: hexBlack,
  space: 30,
  gap: 5,
  alignTo: 1,
  size: 50,
  labelGap: 0,
  labelSize: 30,
  labelFont,
  side: 3,
  //	class: "y-vals",
  //	incrs: numIncrs,
  //	values: (vals, space) => vals,
  //	filter: retArg1,
  grid,
  ticks,
  border,
  font,
  lineGap,
  rotate: 0
};
function ptDia(width2, mult) {
  let dia = 3 + (width2 || 1) * 2;
  return roundDec(dia * mult, 3);
}
function seriesPointsShow(self, si) {
  let { scale, idxs } = self.series[0];
  let xData = self._data[0];
  let p0 = self.valToPos(xData[idxs[0]], scale, true);
  let p1 = self.valToPos(xData[idxs[1]], scale, true);
  let dim = abs(p1 - p0);
  let s4 = self.series[si];
  let maxPts = dim / (s4.points.space * pxRatio);
  return idxs[1] - idxs[0] <= maxPts;
}
var facet = {
  scale: null,
  auto: true,
  sorted: 0,
  // internal caches
  min: inf,
  max: -inf
};
var gaps = (self, seriesIdx, idx0, idx1, nullGaps) => nullGaps;
var xySeriesOpts = {
  show: true,
  auto: true,
  sorted: 0,
  gaps,
  alpha: 1,
  facets: [
    assign({}, facet, { scale: "x" }),
    assign({}, facet, { scale: "y" })
  ]
};
var ySeriesOpts = {
  scale: "y",
  auto: true,
  sorted: 0,
  show: true,
  spanGaps: false,
  gaps,
  alpha: 1,
  points: {
    show: seriesPointsShow,
    filter: null
    //  paths:
    //	stroke: "#000",
    //	fill: "#fff",
    //	width: 1,
    //	size: 10,
  },
  //	label: "Value",
  //	value: v => v,
  values: null,
  // internal caches
  min: inf,
  max: -inf,
  idxs: [],
  path: null,
  clip: null
};
function clampScale(self, val, scaleMin, scaleMax, scaleKey) {
  return scaleMin / 10;
}
var xScaleOpts = {
  time: FEAT_TIME,
  auto: true,
  distr: 1,
  log: 10,
  asinh: 1,
  min: null,
  max: null,
  dir: 1,
  ori: 0
};
var yScaleOpts = assign({}, xScaleOpts, {
  time: false,
  ori: 1
});
var syncs = {};
function _sync(key, opts) {
  let s4 = syncs[key];
  if (!s4) {
    s4 = {
      key,
      plots: [],
      sub(plot) {
        s4.plots.push(plot);
      },
      unsub(plot) {
        s4.plots = s4.plots.filter((c4) => c4 != plot);
      },
      pub(type, self, x4, y5, w5, h4, i4) {
        for (let j3 = 0; j3 < s4.plots.length; j3++)
          s4.plots[j3] != self && s4.plots[j3].pub(type, self, x4, y5, w5, h4, i4);
      }
    };
    if (key != null)
      syncs[key] = s4;
  }
  return s4;
}
var BAND_CLIP_FILL = 1 << 0;
var BAND_CLIP_STROKE = 1 << 1;
function orient(u4, seriesIdx, cb) {
  const mode = u4.mode;
  const series = u4.series[seriesIdx];
  const data = mode == 2 ? u4._data[seriesIdx] : u4._data;
  const scales = u4.scales;
  const bbox = u4.bbox;
  let dx = data[0], dy = mode == 2 ? data[1] : data[seriesIdx], sx = mode == 2 ? scales[series.facets[0].scale] : scales[u4.series[0].scale], sy = mode == 2 ? scales[series.facets[1].scale] : scales[series.scale], l4 = bbox.left, t4 = bbox.top, w5 = bbox.width, h4 = bbox.height, H2 = u4.valToPosH, V2 = u4.valToPosV;
  return sx.ori == 0 ? cb(
    series,
    dx,
    dy,
    sx,
    sy,
    H2,
    V2,
    l4,
    t4,
    w5,
    h4,
    moveToH,
    lineToH,
    rectH,
    arcH,
    bezierCurveToH
  ) : cb(
    series,
    dx,
    dy,
    sx,
    sy,
    V2,
    H2,
    t4,
    l4,
    h4,
    w5,
    moveToV,
    lineToV,
    rectV,
    arcV,
    bezierCurveToV
  );
}
function bandFillClipDirs(self, seriesIdx) {
  let fillDir = 0;
  let clipDirs = 0;
  let bands = ifNull(self.bands, EMPTY_ARR);
  for (let i4 = 0; i4 < bands.length; i4++) {
    let b3 = bands[i4];
    if (b3.series[0] == seriesIdx)
      fillDir = b3.dir;
    else if (b3.series[1] == seriesIdx) {
      if (b3.dir == 1)
        clipDirs |= 1;
      else
        clipDirs |= 2;
    }
  }
  return [
    fillDir,
    clipDirs == 1 ? -1 : (
      // neg only
      clipDirs == 2 ? 1 : (
        // pos only
        clipDirs == 3 ? 2 : (
          // both
          0
        )
      )
    )
  ];
}
function seriesFillTo(self, seriesIdx, dataMin, dataMax, bandFillDir) {
  let mode = self.mode;
  let series = self.series[seriesIdx];
  let scaleKey = mode == 2 ? series.facets[1].scale : series.scale;
  let scale = self.scales[scaleKey];
  return bandFillDir == -1 ? scale.min : bandFillDir == 1 ? scale.max : scale.distr == 3 ? scale.dir == 1 ? scale.min : scale.max : 0;
}
function clipBandLine(self, seriesIdx, idx0, idx1, strokePath, clipDir) {
  return orient(self, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
    let pxRound = series.pxRound;
    const dir = scaleX.dir * (scaleX.ori == 0 ? 1 : -1);
    const lineTo = scaleX.ori == 0 ? lineToH : lineToV;
    let frIdx, toIdx;
    if (dir == 1) {
      frIdx = idx0;
      toIdx = idx1;
    } else {
      frIdx = idx1;
      toIdx = idx0;
    }
    let x0 = pxRound(valToPosX(dataX[frIdx], scaleX, xDim, xOff));
    let y0 = pxRound(valToPosY(dataY[frIdx], scaleY, yDim, yOff));
    let x1 = pxRound(valToPosX(dataX[toIdx], scaleX, xDim, xOff));
    let yLimit = pxRound(valToPosY(clipDir == 1 ? scaleY.max : scaleY.min, scaleY, yDim, yOff));
    let clip = new Path2D(strokePath);
    lineTo(clip, x1, yLimit);
    lineTo(clip, x0, yLimit);
    lineTo(clip, x0, y0);
    return clip;
  });
}
function clipGaps(gaps2, ori, plotLft, plotTop, plotWid, plotHgt) {
  let clip = null;
  if (gaps2.length > 0) {
    clip = new Path2D();
    const rect2 = ori == 0 ? rectH : rectV;
    let prevGapEnd = plotLft;
    for (let i4 = 0; i4 < gaps2.length; i4++) {
      let g5 = gaps2[i4];
      if (g5[1] > g5[0]) {
        let w6 = g5[0] - prevGapEnd;
        w6 > 0 && rect2(clip, prevGapEnd, plotTop, w6, plotTop + plotHgt);
        prevGapEnd = g5[1];
      }
    }
    let w5 = plotLft + plotWid - prevGapEnd;
    let maxStrokeWidth = 10;
    w5 > 0 && rect2(clip, prevGapEnd, plotTop - maxStrokeWidth / 2, w5, plotTop + plotHgt + maxStrokeWidth);
  }
  return clip;
}
function addGap(gaps2, fromX, toX) {
  let prevGap = gaps2[gaps2.length - 1];
  if (prevGap && prevGap[0] == fromX)
    prevGap[1] = toX;
  else
    gaps2.push([fromX, toX]);
}
function findGaps(xs, ys, idx0, idx1, dir, pixelForX, align) {
  let gaps2 = [];
  let len = xs.length;
  for (let i4 = dir == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += dir) {
    let yVal = ys[i4];
    if (yVal === null) {
      let fr = i4, to = i4;
      if (dir == 1) {
        while (++i4 <= idx1 && ys[i4] === null)
          to = i4;
      } else {
        while (--i4 >= idx0 && ys[i4] === null)
          to = i4;
      }
      let frPx = pixelForX(xs[fr]);
      let toPx = to == fr ? frPx : pixelForX(xs[to]);
      let fri2 = fr - dir;
      let frPx2 = align <= 0 && fri2 >= 0 && fri2 < len ? pixelForX(xs[fri2]) : frPx;
      frPx = frPx2;
      let toi2 = to + dir;
      let toPx2 = align >= 0 && toi2 >= 0 && toi2 < len ? pixelForX(xs[toi2]) : toPx;
      toPx = toPx2;
      if (toPx >= frPx)
        gaps2.push([frPx, toPx]);
    }
  }
  return gaps2;
}
function pxRoundGen(pxAlign) {
  return pxAlign == 0 ? retArg0 : pxAlign == 1 ? round : (v5) => incrRound(v5, pxAlign);
}
function rect(ori) {
  let moveTo = ori == 0 ? moveToH : moveToV;
  let arcTo = ori == 0 ? (p5, x1, y1, x22, y22, r4) => {
    p5.arcTo(x1, y1, x22, y22, r4);
  } : (p5, y1, x1, y22, x22, r4) => {
    p5.arcTo(x1, y1, x22, y22, r4);
  };
  let rect2 = ori == 0 ? (p5, x4, y5, w5, h4) => {
    p5.rect(x4, y5, w5, h4);
  } : (p5, y5, x4, h4, w5) => {
    p5.rect(x4, y5, w5, h4);
  };
  return (p5, x4, y5, w5, h4, endRad = 0, baseRad = 0) => {
    if (endRad == 0 && baseRad == 0)
      rect2(p5, x4, y5, w5, h4);
    else {
      endRad = min(endRad, w5 / 2, h4 / 2);
      baseRad = min(baseRad, w5 / 2, h4 / 2);
      moveTo(p5, x4 + endRad, y5);
      arcTo(p5, x4 + w5, y5, x4 + w5, y5 + h4, endRad);
      arcTo(p5, x4 + w5, y5 + h4, x4, y5 + h4, baseRad);
      arcTo(p5, x4, y5 + h4, x4, y5, baseRad);
      arcTo(p5, x4, y5, x4 + w5, y5, endRad);
      p5.closePath();
    }
  };
}
var moveToH = (p5, x4, y5) => {
  p5.moveTo(x4, y5);
};
var moveToV = (p5, y5, x4) => {
  p5.moveTo(x4, y5);
};
var lineToH = (p5, x4, y5) => {
  p5.lineTo(x4, y5);
};
var lineToV = (p5, y5, x4) => {
  p5.lineTo(x4, y5);
};
var rectH = rect(0);
var rectV = rect(1);
var arcH = (p5, x4, y5, r4, startAngle, endAngle) => {
  p5.arc(x4, y5, r4, startAngle, endAngle);
};
var arcV = (p5, y5, x4, r4, startAngle, endAngle) => {
  p5.arc(x4, y5, r4, startAngle, endAngle);
};
var bezierCurveToH = (p5, bp1x, bp1y, bp2x, bp2y, p2x, p2y) => {
  p5.bezierCurveTo(bp1x, bp1y, bp2x, bp2y, p2x, p2y);
};
var bezierCurveToV = (p5, bp1y, bp1x, bp2y, bp2x, p2y, p2x) => {
  p5.bezierCurveTo(bp1x, bp1y, bp2x, bp2y, p2x, p2y);
};
function points(opts) {
  return (u4, seriesIdx, idx0, idx1, filtIdxs) => {
    return orient(u4, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
      let { pxRound, points: points2 } = series;
      let moveTo, arc;
      if (scaleX.ori == 0) {
        moveTo = moveToH;
        arc = arcH;
      } else {
        moveTo = moveToV;
        arc = arcV;
      }
      const width2 = roundDec(points2.width * pxRatio, 3);
      let rad = (points2.size - points2.width) / 2 * pxRatio;
      let dia = roundDec(rad * 2, 3);
      let fill = new Path2D();
      let clip = new Path2D();
      let { left: lft, top, width: wid, height: hgt } = u4.bbox;
      rectH(
        clip,
        lft - dia,
        top - dia,
        wid + dia * 2,
        hgt + dia * 2
      );
      const drawPoint = (pi) => {
        if (dataY[pi] != null) {
          let x4 = pxRound(valToPosX(dataX[pi], scaleX, xDim, xOff));
          let y5 = pxRound(valToPosY(dataY[pi], scaleY, yDim, yOff));
          moveTo(fill, x4 + rad, y5);
          arc(fill, x4, y5, rad, 0, PI * 2);
        }
      };
      if (filtIdxs)
        filtIdxs.forEach(drawPoint);
      else {
        for (let pi = idx0; pi <= idx1; pi++)
          drawPoint(pi);
      }
      return {
        stroke: width2 > 0 ? fill : null,
        fill,
        clip,
        flags: BAND_CLIP_FILL | BAND_CLIP_STROKE
      };
    });
  };
}
function _drawAcc(lineTo) {
  return (stroke, accX, minY, maxY, inY, outY) => {
    if (minY != maxY) {
      if (inY != minY && outY != minY)
        lineTo(stroke, accX, minY);
      if (inY != maxY && outY != maxY)
        lineTo(stroke, accX, maxY);
      lineTo(stroke, accX, outY);
    }
  };
}
var drawAccH = _drawAcc(lineToH);
var drawAccV = _drawAcc(lineToV);
function linear(opts) {
  const alignGaps = ifNull(opts?.alignGaps, 0);
  return (u4, seriesIdx, idx0, idx1) => {
    return orient(u4, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
      [idx0, idx1] = nonNullIdxs(dataY, idx0, idx1);
      let pxRound = series.pxRound;
      let pixelForX = (val) => pxRound(valToPosX(val, scaleX, xDim, xOff));
      let pixelForY = (val) => pxRound(valToPosY(val, scaleY, yDim, yOff));
      let lineTo, drawAcc;
      if (scaleX.ori == 0) {
        lineTo = lineToH;
        drawAcc = drawAccH;
      } else {
        lineTo = lineToV;
        drawAcc = drawAccV;
      }
      const dir = scaleX.dir * (scaleX.ori == 0 ? 1 : -1);
      const _paths = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: BAND_CLIP_FILL };
      const stroke = _paths.stroke;
      let hasGap = false;
      const decimate = idx1 - idx0 >= xDim * 4;
      if (decimate) {
        let xForPixel = (pos) => u4.posToVal(pos, scaleX.key, true);
        let minY = null, maxY = null, inY, outY, drawnAtX;
        let accX = pixelForX(dataX[dir == 1 ? idx0 : idx1]);
        let idx0px = pixelForX(dataX[idx0]);
        let idx1px = pixelForX(dataX[idx1]);
        let nextAccXVal = xForPixel(dir == 1 ? idx0px + 1 : idx1px - 1);
        for (let i4 = dir == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += dir) {
          let xVal = dataX[i4];
          let reuseAccX = dir == 1 ? xVal < nextAccXVal : xVal > nextAccXVal;
          let x4 = reuseAccX ? accX : pixelForX(xVal);
          let yVal = dataY[i4];
          if (x4 == accX) {
            if (yVal != null) {
              outY = yVal;
              if (minY == null) {
                lineTo(stroke, x4, pixelForY(outY));
                inY = minY = maxY = outY;
              } else {
                if (outY < minY)
                  minY = outY;
                else if (outY > maxY)
                  maxY = outY;
              }
            } else {
              if (yVal === null)
                hasGap = true;
            }
          } else {
            if (minY != null)
              drawAcc(stroke, accX, pixelForY(minY), pixelForY(maxY), pixelForY(inY), pixelForY(outY));
            if (yVal != null) {
              outY = yVal;
              lineTo(stroke, x4, pixelForY(outY));
              minY = maxY = inY = outY;
            } else {
              minY = maxY = null;
              if (yVal === null)
                hasGap = true;
            }
            accX = x4;
            nextAccXVal = xForPixel(accX + dir);
          }
        }
        if (minY != null && minY != maxY && drawnAtX != accX)
          drawAcc(stroke, accX, pixelForY(minY), pixelForY(maxY), pixelForY(inY), pixelForY(outY));
      } else {
        for (let i4 = dir == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += dir) {
          let yVal = dataY[i4];
          if (yVal === null)
            hasGap = true;
          else if (yVal != null)
            lineTo(stroke, pixelForX(dataX[i4]), pixelForY(yVal));
        }
      }
      let [bandFillDir, bandClipDir] = bandFillClipDirs(u4, seriesIdx);
      if (series.fill != null || bandFillDir != 0) {
        let fill = _paths.fill = new Path2D(stroke);
        let fillToVal = series.fillTo(u4, seriesIdx, series.min, series.max, bandFillDir);
        let fillToY = pixelForY(fillToVal);
        let frX = pixelForX(dataX[idx0]);
        let toX = pixelForX(dataX[idx1]);
        if (dir == -1)
          [toX, frX] = [frX, toX];
        lineTo(fill, toX, fillToY);
        lineTo(fill, frX, fillToY);
      }
      if (!series.spanGaps) {
        let gaps2 = [];
        hasGap && gaps2.push(...findGaps(dataX, dataY, idx0, idx1, dir, pixelForX, alignGaps));
        _paths.gaps = gaps2 = series.gaps(u4, seriesIdx, idx0, idx1, gaps2);
        _paths.clip = clipGaps(gaps2, scaleX.ori, xOff, yOff, xDim, yDim);
      }
      if (bandClipDir != 0) {
        _paths.band = bandClipDir == 2 ? [
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, -1),
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, 1)
        ] : clipBandLine(u4, seriesIdx, idx0, idx1, stroke, bandClipDir);
      }
      return _paths;
    });
  };
}
function stepped(opts) {
  const align = ifNull(opts.align, 1);
  const ascDesc = ifNull(opts.ascDesc, false);
  const alignGaps = ifNull(opts.alignGaps, 0);
  const extend = ifNull(opts.extend, false);
  return (u4, seriesIdx, idx0, idx1) => {
    return orient(u4, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
      [idx0, idx1] = nonNullIdxs(dataY, idx0, idx1);
      let pxRound = series.pxRound;
      let { left, width: width2 } = u4.bbox;
      let pixelForX = (val) => pxRound(valToPosX(val, scaleX, xDim, xOff));
      let pixelForY = (val) => pxRound(valToPosY(val, scaleY, yDim, yOff));
      let lineTo = scaleX.ori == 0 ? lineToH : lineToV;
      const _paths = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: BAND_CLIP_FILL };
      const stroke = _paths.stroke;
      const dir = scaleX.dir * (scaleX.ori == 0 ? 1 : -1);
      let prevYPos = pixelForY(dataY[dir == 1 ? idx0 : idx1]);
      let firstXPos = pixelForX(dataX[dir == 1 ? idx0 : idx1]);
      let prevXPos = firstXPos;
      let firstXPosExt = firstXPos;
      if (extend && align == -1) {
        firstXPosExt = left;
        lineTo(stroke, firstXPosExt, prevYPos);
      }
      lineTo(stroke, firstXPos, prevYPos);
      for (let i4 = dir == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += dir) {
        let yVal1 = dataY[i4];
        if (yVal1 == null)
          continue;
        let x1 = pixelForX(dataX[i4]);
        let y1 = pixelForY(yVal1);
        if (align == 1)
          lineTo(stroke, x1, prevYPos);
        else
          lineTo(stroke, prevXPos, y1);
        lineTo(stroke, x1, y1);
        prevYPos = y1;
        prevXPos = x1;
      }
      let prevXPosExt = prevXPos;
      if (extend && align == 1) {
        prevXPosExt = left + width2;
        lineTo(stroke, prevXPosExt, prevYPos);
      }
      let [bandFillDir, bandClipDir] = bandFillClipDirs(u4, seriesIdx);
      if (series.fill != null || bandFillDir != 0) {
        let fill = _paths.fill = new Path2D(stroke);
        let fillTo = series.fillTo(u4, seriesIdx, series.min, series.max, bandFillDir);
        let fillToY = pixelForY(fillTo);
        lineTo(fill, prevXPosExt, fillToY);
        lineTo(fill, firstXPosExt, fillToY);
      }
      if (!series.spanGaps) {
        let gaps2 = [];
        gaps2.push(...findGaps(dataX, dataY, idx0, idx1, dir, pixelForX, alignGaps));
        let halfStroke = series.width * pxRatio / 2;
        let startsOffset = ascDesc || align == 1 ? halfStroke : -halfStroke;
        let endsOffset = ascDesc || align == -1 ? -halfStroke : halfStroke;
        gaps2.forEach((g5) => {
          g5[0] += startsOffset;
          g5[1] += endsOffset;
        });
        _paths.gaps = gaps2 = series.gaps(u4, seriesIdx, idx0, idx1, gaps2);
        _paths.clip = clipGaps(gaps2, scaleX.ori, xOff, yOff, xDim, yDim);
      }
      if (bandClipDir != 0) {
        _paths.band = bandClipDir == 2 ? [
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, -1),
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, 1)
        ] : clipBandLine(u4, seriesIdx, idx0, idx1, stroke, bandClipDir);
      }
      return _paths;
    });
  };
}
function findColWidth(dataX, dataY, valToPosX, scaleX, xDim, xOff, colWid = inf) {
  if (dataX.length > 1) {
    let prevIdx = null;
    for (let i4 = 0, minDelta = Infinity; i4 < dataX.length; i4++) {
      if (dataY[i4] !== void 0) {
        if (prevIdx != null) {
          let delta = abs(dataX[i4] - dataX[prevIdx]);
          if (delta < minDelta) {
            minDelta = delta;
            colWid = abs(valToPosX(dataX[i4], scaleX, xDim, xOff) - valToPosX(dataX[prevIdx], scaleX, xDim, xOff));
          }
        }
        prevIdx = i4;
      }
    }
  }
  return colWid;
}
function bars(opts) {
  opts = opts || EMPTY_OBJ;
  const size2 = ifNull(opts.size, [0.6, inf, 1]);
  const align = opts.align || 0;
  const _extraGap = opts.gap || 0;
  let ro = opts.radius;
  ro = // [valueRadius, baselineRadius]
  ro == null ? [0, 0] : typeof ro == "number" ? [ro, 0] : ro;
  const radiusFn = fnOrSelf(ro);
  const gapFactor = 1 - size2[0];
  const _maxWidth = ifNull(size2[1], inf);
  const _minWidth = ifNull(size2[2], 1);
  const disp = ifNull(opts.disp, EMPTY_OBJ);
  const _each = ifNull(opts.each, (_6) => {
  });
  const { fill: dispFills, stroke: dispStrokes } = disp;
  return (u4, seriesIdx, idx0, idx1) => {
    return orient(u4, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
      let pxRound = series.pxRound;
      let _align = align;
      let extraGap = _extraGap * pxRatio;
      let maxWidth = _maxWidth * pxRatio;
      let minWidth = _minWidth * pxRatio;
      let valRadius, baseRadius;
      if (scaleX.ori == 0)
        [valRadius, baseRadius] = radiusFn(u4, seriesIdx);
      else
        [baseRadius, valRadius] = radiusFn(u4, seriesIdx);
      const _dirX = scaleX.dir * (scaleX.ori == 0 ? 1 : -1);
      let rect2 = scaleX.ori == 0 ? rectH : rectV;
      let each = scaleX.ori == 0 ? _each : (u5, seriesIdx2, i4, top, lft, hgt, wid) => {
        _each(u5, seriesIdx2, i4, lft, top, wid, hgt);
      };
      let band = ifNull(u4.bands, EMPTY_ARR).find((b3) => b3.series[0] == seriesIdx);
      let fillDir = band != null ? band.dir : 0;
      let fillTo = series.fillTo(u4, seriesIdx, series.min, series.max, fillDir);
      let fillToY = pxRound(valToPosY(fillTo, scaleY, yDim, yOff));
      let xShift, barWid, fullGap, colWid = xDim;
      let strokeWidth = pxRound(series.width * pxRatio);
      let multiPath = false;
      let fillColors = null;
      let fillPaths = null;
      let strokeColors = null;
      let strokePaths = null;
      if (dispFills != null && (strokeWidth == 0 || dispStrokes != null)) {
        multiPath = true;
        fillColors = dispFills.values(u4, seriesIdx, idx0, idx1);
        fillPaths = /* @__PURE__ */ new Map();
        new Set(fillColors).forEach((color) => {
          if (color != null)
            fillPaths.set(color, new Path2D());
        });
        if (strokeWidth > 0) {
          strokeColors = dispStrokes.values(u4, seriesIdx, idx0, idx1);
          strokePaths = /* @__PURE__ */ new Map();
          new Set(strokeColors).forEach((color) => {
            if (color != null)
              strokePaths.set(color, new Path2D());
          });
        }
      }
      let { x0, size: size3 } = disp;
      if (x0 != null && size3 != null) {
        _align = 1;
        dataX = x0.values(u4, seriesIdx, idx0, idx1);
        if (x0.unit == 2)
          dataX = dataX.map((pct) => u4.posToVal(xOff + pct * xDim, scaleX.key, true));
        let sizes = size3.values(u4, seriesIdx, idx0, idx1);
        if (size3.unit == 2)
          barWid = sizes[0] * xDim;
        else
          barWid = valToPosX(sizes[0], scaleX, xDim, xOff) - valToPosX(0, scaleX, xDim, xOff);
        colWid = findColWidth(dataX, dataY, valToPosX, scaleX, xDim, xOff, colWid);
        let gapWid = colWid - barWid;
        fullGap = gapWid + extraGap;
      } else {
        colWid = findColWidth(dataX, dataY, valToPosX, scaleX, xDim, xOff, colWid);
        let gapWid = colWid * gapFactor;
        fullGap = gapWid + extraGap;
        barWid = colWid - fullGap;
      }
      if (fullGap < 1)
        fullGap = 0;
      if (strokeWidth >= barWid / 2)
        strokeWidth = 0;
      if (fullGap < 5)
        pxRound = retArg0;
      let insetStroke = fullGap > 0;
      let rawBarWid = colWid - fullGap - (insetStroke ? strokeWidth : 0);
      barWid = pxRound(clamp(rawBarWid, minWidth, maxWidth));
      xShift = (_align == 0 ? barWid / 2 : _align == _dirX ? 0 : barWid) - _align * _dirX * ((_align == 0 ? extraGap / 2 : 0) + (insetStroke ? strokeWidth / 2 : 0));
      const _paths = { stroke: null, fill: null, clip: null, band: null, gaps: null, flags: 0 };
      const stroke = multiPath ? null : new Path2D();
      let dataY0 = null;
      if (band != null)
        dataY0 = u4.data[band.series[1]];
      else {
        let { y0, y1 } = disp;
        if (y0 != null && y1 != null) {
          dataY = y1.values(u4, seriesIdx, idx0, idx1);
          dataY0 = y0.values(u4, seriesIdx, idx0, idx1);
        }
      }
      let radVal = valRadius * barWid;
      let radBase = baseRadius * barWid;
      for (let i4 = _dirX == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += _dirX) {
        let yVal = dataY[i4];
        if (yVal == null)
          continue;
        if (dataY0 != null) {
          let yVal0 = dataY0[i4] ?? 0;
          if (yVal - yVal0 == 0)
            continue;
          fillToY = valToPosY(yVal0, scaleY, yDim, yOff);
        }
        let xVal = scaleX.distr != 2 || disp != null ? dataX[i4] : i4;
        let xPos = valToPosX(xVal, scaleX, xDim, xOff);
        let yPos = valToPosY(ifNull(yVal, fillTo), scaleY, yDim, yOff);
        let lft = pxRound(xPos - xShift);
        let btm = pxRound(max(yPos, fillToY));
        let top = pxRound(min(yPos, fillToY));
        let barHgt = btm - top;
        if (yVal != null) {
          let rv = yVal < 0 ? radBase : radVal;
          let rb = yVal < 0 ? radVal : radBase;
          if (multiPath) {
            if (strokeWidth > 0 && strokeColors[i4] != null)
              rect2(strokePaths.get(strokeColors[i4]), lft, top + floor(strokeWidth / 2), barWid, max(0, barHgt - strokeWidth), rv, rb);
            if (fillColors[i4] != null)
              rect2(fillPaths.get(fillColors[i4]), lft, top + floor(strokeWidth / 2), barWid, max(0, barHgt - strokeWidth), rv, rb);
          } else
            rect2(stroke, lft, top + floor(strokeWidth / 2), barWid, max(0, barHgt - strokeWidth), rv, rb);
          each(
            u4,
            seriesIdx,
            i4,
            lft - strokeWidth / 2,
            top,
            barWid + strokeWidth,
            barHgt
          );
        }
      }
      if (strokeWidth > 0)
        _paths.stroke = multiPath ? strokePaths : stroke;
      else if (!multiPath) {
        _paths._fill = series.width == 0 ? series._fill : series._stroke ?? series._fill;
        _paths.width = 0;
      }
      _paths.fill = multiPath ? fillPaths : stroke;
      return _paths;
    });
  };
}
function splineInterp(interp, opts) {
  const alignGaps = ifNull(opts?.alignGaps, 0);
  return (u4, seriesIdx, idx0, idx1) => {
    return orient(u4, seriesIdx, (series, dataX, dataY, scaleX, scaleY, valToPosX, valToPosY, xOff, yOff, xDim, yDim) => {
      [idx0, idx1] = nonNullIdxs(dataY, idx0, idx1);
      let pxRound = series.pxRound;
      let pixelForX = (val) => pxRound(valToPosX(val, scaleX, xDim, xOff));
      let pixelForY = (val) => pxRound(valToPosY(val, scaleY, yDim, yOff));
      let moveTo, bezierCurveTo, lineTo;
      if (scaleX.ori == 0) {
        moveTo = moveToH;
        lineTo = lineToH;
        bezierCurveTo = bezierCurveToH;
      } else {
        moveTo = moveToV;
        lineTo = lineToV;
        bezierCurveTo = bezierCurveToV;
      }
      const dir = scaleX.dir * (scaleX.ori == 0 ? 1 : -1);
      let firstXPos = pixelForX(dataX[dir == 1 ? idx0 : idx1]);
      let prevXPos = firstXPos;
      let xCoords = [];
      let yCoords = [];
      for (let i4 = dir == 1 ? idx0 : idx1; i4 >= idx0 && i4 <= idx1; i4 += dir) {
        let yVal = dataY[i4];
        if (yVal != null) {
          let xVal = dataX[i4];
          let xPos = pixelForX(xVal);
          xCoords.push(prevXPos = xPos);
          yCoords.push(pixelForY(dataY[i4]));
        }
      }
      const _paths = { stroke: interp(xCoords, yCoords, moveTo, lineTo, bezierCurveTo, pxRound), fill: null, clip: null, band: null, gaps: null, flags: BAND_CLIP_FILL };
      const stroke = _paths.stroke;
      let [bandFillDir, bandClipDir] = bandFillClipDirs(u4, seriesIdx);
      if (series.fill != null || bandFillDir != 0) {
        let fill = _paths.fill = new Path2D(stroke);
        let fillTo = series.fillTo(u4, seriesIdx, series.min, series.max, bandFillDir);
        let fillToY = pixelForY(fillTo);
        lineTo(fill, prevXPos, fillToY);
        lineTo(fill, firstXPos, fillToY);
      }
      if (!series.spanGaps) {
        let gaps2 = [];
        gaps2.push(...findGaps(dataX, dataY, idx0, idx1, dir, pixelForX, alignGaps));
        _paths.gaps = gaps2 = series.gaps(u4, seriesIdx, idx0, idx1, gaps2);
        _paths.clip = clipGaps(gaps2, scaleX.ori, xOff, yOff, xDim, yDim);
      }
      if (bandClipDir != 0) {
        _paths.band = bandClipDir == 2 ? [
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, -1),
          clipBandLine(u4, seriesIdx, idx0, idx1, stroke, 1)
        ] : clipBandLine(u4, seriesIdx, idx0, idx1, stroke, bandClipDir);
      }
      return _paths;
    });
  };
}
function monotoneCubic(opts) {
  return splineInterp(_monotoneCubic, opts);
}
function _monotoneCubic(xs, ys, moveTo, lineTo, bezierCurveTo, pxRound) {
  const n3 = xs.length;
  if (n3 < 2)
    return null;
  const path = new Path2D();
  moveTo(path, xs[0], ys[0]);
  if (n3 == 2)
    lineTo(path, xs[1], ys[1]);
  else {
    let ms = Array(n3), ds = Array(n3 - 1), dys = Array(n3 - 1), dxs = Array(n3 - 1);
    for (let i4 = 0; i4 < n3 - 1; i4++) {
      dys[i4] = ys[i4 + 1] - ys[i4];
      dxs[i4] = xs[i4 + 1] - xs[i4];
      ds[i4] = dys[i4] / dxs[i4];
    }
    ms[0] = ds[0];
    for (let i4 = 1; i4 < n3 - 1; i4++) {
      if (ds[i4] === 0 || ds[i4 - 1] === 0 || ds[i4 - 1] > 0 !== ds[i4] > 0)
        ms[i4] = 0;
      else {
        ms[i4] = 3 * (dxs[i4 - 1] + dxs[i4]) / ((2 * dxs[i4] + dxs[i4 - 1]) / ds[i4 - 1] + (dxs[i4] + 2 * dxs[i4 - 1]) / ds[i4]);
        if (!isFinite(ms[i4]))
          ms[i4] = 0;
      }
    }
    ms[n3 - 1] = ds[n3 - 2];
    for (let i4 = 0; i4 < n3 - 1; i4++) {
      bezierCurveTo(
        path,
        xs[i4] + dxs[i4] / 3,
        ys[i4] + ms[i4] * dxs[i4] / 3,
        xs[i4 + 1] - dxs[i4] / 3,
        ys[i4 + 1] - ms[i4 + 1] * dxs[i4] / 3,
        xs[i4 + 1],
        ys[i4 + 1]
      );
    }
  }
  return path;
}
var cursorPlots = /* @__PURE__ */ new Set();
function invalidateRects() {
  for (let u4 of cursorPlots)
    u4.syncRect(true);
}
if (domEnv) {
  on(resize, win, invalidateRects);
  on(scroll, win, invalidateRects, true);
  on(dppxchange, win, () => {
    uPlot.pxRatio = pxRatio;
  });
}
var linearPath = linear();
var pointsPath = points();
function setDefaults(d5, xo, yo, initY) {
  let d22 = initY ? [d5[0], d5[1]].concat(d5.slice(2)) : [d5[0]].concat(d5.slice(1));
  return d22.map((o5, i4) => setDefault(o5, i4, xo, yo));
}
function setDefaults2(d5, xyo) {
  return d5.map((o5, i4) => i4 == 0 ? {} : assign({}, xyo, o5));
}
function setDefault(o5, i4, xo, yo) {
  return assign({}, i4 == 0 ? xo : yo, o5);
}
function snapNumX(self, dataMin, dataMax) {
  return dataMin == null ? nullNullTuple : [dataMin, dataMax];
}
var snapTimeX = snapNumX;
function snapNumY(self, dataMin, dataMax) {
  return dataMin == null ? nullNullTuple : rangeNum(dataMin, dataMax, rangePad, true);
}
function snapLogY(self, dataMin, dataMax, scale) {
  return dataMin == null ? nullNullTuple : rangeLog(dataMin, dataMax, self.scales[scale].log, false);
}
var snapLogX = snapLogY;
function snapAsinhY(self, dataMin, dataMax, scale) {
  return dataMin == null ? nullNullTuple : rangeAsinh(dataMin, dataMax, self.scales[scale].log, false);
}
var snapAsinhX = snapAsinhY;
function findIncr(minVal, maxVal, incrs, dim, minSpace) {
  let intDigits = max(numIntDigits(minVal), numIntDigits(maxVal));
  let delta = maxVal - minVal;
  let incrIdx = closestIdx(minSpace / dim * delta, incrs);
  do {
    let foundIncr = incrs[incrIdx];
    let foundSpace = dim * foundIncr / delta;
    if (foundSpace >= minSpace && intDigits + (foundIncr < 5 ? fixedDec.get(foundIncr) : 0) <= 17)
      return [foundIncr, foundSpace];
  } while (++incrIdx < incrs.length);
  return [0, 0];
}
function pxRatioFont(font2) {
  let fontSize, fontSizeCss;
  font2 = font2.replace(/(\d+)px/, (m5, p1) => (fontSize = round((fontSizeCss = +p1) * pxRatio)) + "px");
  return [font2, fontSize, fontSizeCss];
}
function syncFontSize(axis) {
  if (axis.show) {
    [axis.font, axis.labelFont].forEach((f5) => {
      let size2 = roundDec(f5[2] * pxRatio, 1);
      f5[0] = f5[0].replace(/[0-9.]+px/, size2 + "px");
      f5[1] = size2;
    });
  }
}
function uPlot(opts, data, then) {
  const self = {
    mode: ifNull(opts.mode, 1)
  };
  const mode = self.mode;
  function getHPos(val, scale, dim, off2) {
    let pct = scale.valToPct(val);
    return off2 + dim * (scale.dir == -1 ? 1 - pct : pct);
  }
  function getVPos(val, scale, dim, off2) {
    let pct = scale.valToPct(val);
    return off2 + dim * (scale.dir == -1 ? pct : 1 - pct);
  }
  function getPos(val, scale, dim, off2) {
    return scale.ori == 0 ? getHPos(val, scale, dim, off2) : getVPos(val, scale, dim, off2);
  }
  self.valToPosH = getHPos;
  self.valToPosV = getVPos;
  let ready = false;
  self.status = 0;
  const root = self.root = placeDiv(UPLOT);
  if (opts.id != null)
    root.id = opts.id;
  addClass(root, opts.class);
  if (opts.title) {
    let title2 = placeDiv(TITLE, root);
    title2.textContent = opts.title;
  }
  const can2 = placeTag("canvas");
  const ctx = self.ctx = can2.getContext("2d");
  const wrap = placeDiv(WRAP, root);
  on("click", wrap, (e4) => {
    if (e4.target === over) {
      let didDrag = mouseLeft1 != mouseLeft0 || mouseTop1 != mouseTop0;
      didDrag && drag.click(self, e4);
    }
  }, true);
  const under = self.under = placeDiv(UNDER, wrap);
  wrap.appendChild(can2);
  const over = self.over = placeDiv(OVER, wrap);
  opts = copy(opts);
  const pxAlign = +ifNull(opts.pxAlign, 1);
  const pxRound = pxRoundGen(pxAlign);
  (opts.plugins || []).forEach((p5) => {
    if (p5.opts)
      opts = p5.opts(self, opts) || opts;
  });
  const ms = opts.ms || 1e-3;
  const series = self.series = mode == 1 ? setDefaults(opts.series || [], xSeriesOpts, ySeriesOpts, false) : setDefaults2(opts.series || [null], xySeriesOpts);
  const axes = self.axes = setDefaults(opts.axes || [], xAxisOpts, yAxisOpts, true);
  const scales = self.scales = {};
  const bands = self.bands = opts.bands || [];
  bands.forEach((b3) => {
    b3.fill = fnOrSelf(b3.fill || null);
    b3.dir = ifNull(b3.dir, -1);
  });
  const xScaleKey = mode == 2 ? series[1].facets[0].scale : series[0].scale;
  const drawOrderMap = {
    axes: drawAxesGrid,
    series: drawSeries
  };
  const drawOrder = (opts.drawOrder || ["axes", "series"]).map((key2) => drawOrderMap[key2]);
  function initValToPct(sc) {
    const getVal = sc.distr == 3 ? (val) => log10(val > 0 ? val : sc.clamp(self, val, sc.min, sc.max, sc.key)) : sc.distr == 4 ? (val) => asinh(val, sc.asinh) : sc.distr == 100 ? (val) => sc.fwd(val) : (val) => val;
    return (val) => {
      let _val = getVal(val);
      let { _min, _max } = sc;
      let delta = _max - _min;
      return (_val - _min) / delta;
    };
  }
  function initScale(scaleKey) {
    let sc = scales[scaleKey];
    if (sc == null) {
      let scaleOpts = (opts.scales || EMPTY_OBJ)[scaleKey] || EMPTY_OBJ;
      if (scaleOpts.from != null) {
        initScale(scaleOpts.from);
        let sc2 = assign({}, scales[scaleOpts.from], scaleOpts, { key: scaleKey });
        sc2.valToPct = initValToPct(sc2);
        scales[scaleKey] = sc2;
      } else {
        sc = scales[scaleKey] = assign({}, scaleKey == xScaleKey ? xScaleOpts : yScaleOpts, scaleOpts);
        sc.key = scaleKey;
        let isTime = sc.time;
        let rn = sc.range;
        let rangeIsArr = isArr(rn);
        if (scaleKey != xScaleKey || mode == 2 && !isTime) {
          if (rangeIsArr && (rn[0] == null || rn[1] == null)) {
            rn = {
              min: rn[0] == null ? autoRangePart : {
                mode: 1,
                hard: rn[0],
                soft: rn[0]
              },
              max: rn[1] == null ? autoRangePart : {
                mode: 1,
                hard: rn[1],
                soft: rn[1]
              }
            };
            rangeIsArr = false;
          }
          if (!rangeIsArr && isObj(rn)) {
            let cfg = rn;
            rn = (self2, dataMin, dataMax) => dataMin == null ? nullNullTuple : rangeNum(dataMin, dataMax, cfg);
          }
        }
        sc.range = fnOrSelf(rn || (isTime ? snapTimeX : scaleKey == xScaleKey ? sc.distr == 3 ? snapLogX : sc.distr == 4 ? snapAsinhX : snapNumX : sc.distr == 3 ? snapLogY : sc.distr == 4 ? snapAsinhY : snapNumY));
        sc.auto = fnOrSelf(rangeIsArr ? false : sc.auto);
        sc.clamp = fnOrSelf(sc.clamp || clampScale);
        sc._min = sc._max = null;
        sc.valToPct = initValToPct(sc);
      }
    }
  }
  initScale("x");
  initScale("y");
  if (mode == 1) {
    series.forEach((s4) => {
      initScale(s4.scale);
    });
  }
  axes.forEach((a5) => {
    initScale(a5.scale);
  });
  for (let k5 in opts.scales)
    initScale(k5);
  const scaleX = scales[xScaleKey];
  const xScaleDistr = scaleX.distr;
  let valToPosX, valToPosY;
  if (scaleX.ori == 0) {
    addClass(root, ORI_HZ);
    valToPosX = getHPos;
    valToPosY = getVPos;
  } else {
    addClass(root, ORI_VT);
    valToPosX = getVPos;
    valToPosY = getHPos;
  }
  const pendScales = {};
  for (let k5 in scales) {
    let sc = scales[k5];
    if (sc.min != null || sc.max != null) {
      pendScales[k5] = { min: sc.min, max: sc.max };
      sc.min = sc.max = null;
    }
  }
  const _tzDate = opts.tzDate || ((ts) => new Date(round(ts / ms)));
  const _fmtDate = opts.fmtDate || fmtDate;
  const _timeAxisSplits = ms == 1 ? timeAxisSplitsMs(_tzDate) : timeAxisSplitsS(_tzDate);
  const _timeAxisVals = timeAxisVals(_tzDate, timeAxisStamps(ms == 1 ? _timeAxisStampsMs : _timeAxisStampsS, _fmtDate));
  const _timeSeriesVal = timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate));
  const activeIdxs = [];
  const legend = self.legend = assign({}, legendOpts, opts.legend);
  const cursor = self.cursor = assign({}, cursorOpts, { drag: { y: mode == 2 } }, opts.cursor);
  const showLegend = legend.show;
  const showCursor = cursor.show;
  const markers = legend.markers;
  {
    legend.idxs = activeIdxs;
    markers.width = fnOrSelf(markers.width);
    markers.dash = fnOrSelf(markers.dash);
    markers.stroke = fnOrSelf(markers.stroke);
    markers.fill = fnOrSelf(markers.fill);
  }
  let legendTable;
  let legendHead;
  let legendBody;
  let legendRows = [];
  let legendCells = [];
  let legendCols;
  let multiValLegend = false;
  let NULL_LEGEND_VALUES = {};
  if (legend.live) {
    const getMultiVals = series[1] ? series[1].values : null;
    multiValLegend = getMultiVals != null;
    legendCols = multiValLegend ? getMultiVals(self, 1, 0) : { _: 0 };
    for (let k5 in legendCols)
      NULL_LEGEND_VALUES[k5] = LEGEND_DISP;
  }
  if (showLegend) {
    legendTable = placeTag("table", LEGEND, root);
    legendBody = placeTag("tbody", null, legendTable);
    legend.mount(self, legendTable);
    if (multiValLegend) {
      legendHead = placeTag("thead", null, legendTable, legendBody);
      let head = placeTag("tr", null, legendHead);
      placeTag("th", null, head);
      for (var key in legendCols)
        placeTag("th", LEGEND_LABEL, head).textContent = key;
    } else {
      addClass(legendTable, LEGEND_INLINE);
      legend.live && addClass(legendTable, LEGEND_LIVE);
    }
  }
  const son = { show: true };
  const soff = { show: false };
  function initLegendRow(s4, i4) {
    if (i4 == 0 && (multiValLegend || !legend.live || mode == 2))
      return nullNullTuple;
    let cells = [];
    let row = placeTag("tr", LEGEND_SERIES, legendBody, legendBody.childNodes[i4]);
    addClass(row, s4.class);
    if (!s4.show)
      addClass(row, OFF);
    let label = placeTag("th", null, row);
    if (markers.show) {
      let indic = placeDiv(LEGEND_MARKER, label);
      if (i4 > 0) {
        let width2 = markers.width(self, i4);
        if (width2)
          indic.style.border = width2 + "px " + markers.dash(self, i4) + " " + markers.stroke(self, i4);
        indic.style.background = markers.fill(self, i4);
      }
    }
    let text = placeDiv(LEGEND_LABEL, label);
    if (s4.label instanceof HTMLElement)
      text.appendChild(s4.label);
    else
      text.textContent = s4.label;
    if (i4 > 0) {
      if (!markers.show)
        text.style.color = s4.width > 0 ? markers.stroke(self, i4) : markers.fill(self, i4);
      onMouse("click", label, (e4) => {
        if (cursor._lock)
          return;
        setCursorEvent(e4);
        let seriesIdx = series.indexOf(s4);
        if ((e4.ctrlKey || e4.metaKey) != legend.isolate) {
          let isolate = series.some((s5, i5) => i5 > 0 && i5 != seriesIdx && s5.show);
          series.forEach((s5, i5) => {
            i5 > 0 && setSeries(i5, isolate ? i5 == seriesIdx ? son : soff : son, true, syncOpts.setSeries);
          });
        } else
          setSeries(seriesIdx, { show: !s4.show }, true, syncOpts.setSeries);
      }, false);
      if (cursorFocus) {
        onMouse(mouseenter, label, (e4) => {
          if (cursor._lock)
            return;
          setCursorEvent(e4);
          setSeries(series.indexOf(s4), FOCUS_TRUE, true, syncOpts.setSeries);
        }, false);
      }
    }
    for (var key2 in legendCols) {
      let v5 = placeTag("td", LEGEND_VALUE, row);
      v5.textContent = "--";
      cells.push(v5);
    }
    return [row, cells];
  }
  const mouseListeners = /* @__PURE__ */ new Map();
  function onMouse(ev, targ, fn, onlyTarg = true) {
    const targListeners = mouseListeners.get(targ) || {};
    const listener = cursor.bind[ev](self, targ, fn, onlyTarg);
    if (listener) {
      on(ev, targ, targListeners[ev] = listener);
      mouseListeners.set(targ, targListeners);
    }
  }
  function offMouse(ev, targ, fn) {
    const targListeners = mouseListeners.get(targ) || {};
    for (let k5 in targListeners) {
      if (ev == null || k5 == ev) {
        off(k5, targ, targListeners[k5]);
        delete targListeners[k5];
      }
    }
    if (ev == null)
      mouseListeners.delete(targ);
  }
  let fullWidCss = 0;
  let fullHgtCss = 0;
  let plotWidCss = 0;
  let plotHgtCss = 0;
  let plotLftCss = 0;
  let plotTopCss = 0;
  let _plotLftCss = plotLftCss;
  let _plotTopCss = plotTopCss;
  let _plotWidCss = plotWidCss;
  let _plotHgtCss = plotHgtCss;
  let plotLft = 0;
  let plotTop = 0;
  let plotWid = 0;
  let plotHgt = 0;
  self.bbox = {};
  let shouldSetScales = false;
  let shouldSetSize = false;
  let shouldConvergeSize = false;
  let shouldSetCursor = false;
  let shouldSetSelect = false;
  let shouldSetLegend = false;
  function _setSize(width2, height3, force) {
    if (force || (width2 != self.width || height3 != self.height))
      calcSize(width2, height3);
    resetYSeries(false);
    shouldConvergeSize = true;
    shouldSetSize = true;
    commit2();
  }
  function calcSize(width2, height3) {
    self.width = fullWidCss = plotWidCss = width2;
    self.height = fullHgtCss = plotHgtCss = height3;
    plotLftCss = plotTopCss = 0;
    calcPlotRect();
    calcAxesRects();
    let bb = self.bbox;
    plotLft = bb.left = incrRound(plotLftCss * pxRatio, 0.5);
    plotTop = bb.top = incrRound(plotTopCss * pxRatio, 0.5);
    plotWid = bb.width = incrRound(plotWidCss * pxRatio, 0.5);
    plotHgt = bb.height = incrRound(plotHgtCss * pxRatio, 0.5);
  }
  const CYCLE_LIMIT = 3;
  function convergeSize() {
    let converged = false;
    let cycleNum = 0;
    while (!converged) {
      cycleNum++;
      let axesConverged = axesCalc(cycleNum);
      let paddingConverged = paddingCalc(cycleNum);
      converged = cycleNum == CYCLE_LIMIT || axesConverged && paddingConverged;
      if (!converged) {
        calcSize(self.width, self.height);
        shouldSetSize = true;
      }
    }
  }
  function setSize({ width: width2, height: height3 }) {
    _setSize(width2, height3);
  }
  self.setSize = setSize;
  function calcPlotRect() {
    let hasTopAxis = false;
    let hasBtmAxis = false;
    let hasRgtAxis = false;
    let hasLftAxis = false;
    axes.forEach((axis, i4) => {
      if (axis.show && axis._show) {
        let { side, _size } = axis;
        let isVt = side % 2;
        let labelSize = axis.label != null ? axis.labelSize : 0;
        let fullSize = _size + labelSize;
        if (fullSize > 0) {
          if (isVt) {
            plotWidCss -= fullSize;
            if (side == 3) {
              plotLftCss += fullSize;
              hasLftAxis = true;
            } else
              hasRgtAxis = true;
          } else {
            plotHgtCss -= fullSize;
            if (side == 0) {
              plotTopCss += fullSize;
              hasTopAxis = true;
            } else
              hasBtmAxis = true;
          }
        }
      }
    });
    sidesWithAxes[0] = hasTopAxis;
    sidesWithAxes[1] = hasRgtAxis;
    sidesWithAxes[2] = hasBtmAxis;
    sidesWithAxes[3] = hasLftAxis;
    plotWidCss -= _padding[1] + _padding[3];
    plotLftCss += _padding[3];
    plotHgtCss -= _padding[2] + _padding[0];
    plotTopCss += _padding[0];
  }
  function calcAxesRects() {
    let off1 = plotLftCss + plotWidCss;
    let off2 = plotTopCss + plotHgtCss;
    let off3 = plotLftCss;
    let off0 = plotTopCss;
    function incrOffset(side, size2) {
      switch (side) {
        case 1:
          off1 += size2;
          return off1 - size2;
        case 2:
          off2 += size2;
          return off2 - size2;
        case 3:
          off3 -= size2;
          return off3 + size2;
        case 0:
          off0 -= size2;
          return off0 + size2;
      }
    }
    axes.forEach((axis, i4) => {
      if (axis.show && axis._show) {
        let side = axis.side;
        axis._pos = incrOffset(side, axis._size);
        if (axis.label != null)
          axis._lpos = incrOffset(side, axis.labelSize);
      }
    });
  }
  if (cursor.dataIdx == null) {
    let hov = cursor.hover;
    let skip = hov.skip = new Set(hov.skip ?? []);
    skip.add(void 0);
    let prox = hov.prox = fnOrSelf(hov.prox);
    let bias = hov.bias ??= 0;
    cursor.dataIdx = (self2, seriesIdx, cursorIdx, valAtPosX) => {
      if (seriesIdx == 0)
        return cursorIdx;
      let idx2 = cursorIdx;
      let _prox = prox(self2, seriesIdx, cursorIdx, valAtPosX) ?? inf;
      let withProx = _prox >= 0 && _prox < inf;
      let xDim = scaleX.ori == 0 ? plotWidCss : plotHgtCss;
      let cursorLft = cursor.left;
      let xValues = data[0];
      let yValues = data[seriesIdx];
      if (skip.has(yValues[cursorIdx])) {
        idx2 = null;
        let nonNullLft = null, nonNullRgt = null, j3;
        if (bias == 0 || bias == -1) {
          j3 = cursorIdx;
          while (nonNullLft == null && j3-- > 0) {
            if (!skip.has(yValues[j3]))
              nonNullLft = j3;
          }
        }
        if (bias == 0 || bias == 1) {
          j3 = cursorIdx;
          while (nonNullRgt == null && j3++ < yValues.length) {
            if (!skip.has(yValues[j3]))
              nonNullRgt = j3;
          }
        }
        if (nonNullLft != null || nonNullRgt != null) {
          if (withProx) {
            let lftPos = nonNullLft == null ? -Infinity : valToPosX(xValues[nonNullLft], scaleX, xDim, 0);
            let rgtPos = nonNullRgt == null ? Infinity : valToPosX(xValues[nonNullRgt], scaleX, xDim, 0);
            let lftDelta = cursorLft - lftPos;
            let rgtDelta = rgtPos - cursorLft;
            if (lftDelta <= rgtDelta) {
              if (lftDelta <= _prox)
                idx2 = nonNullLft;
            } else {
              if (rgtDelta <= _prox)
                idx2 = nonNullRgt;
            }
          } else {
            idx2 = nonNullRgt == null ? nonNullLft : nonNullLft == null ? nonNullRgt : cursorIdx - nonNullLft <= nonNullRgt - cursorIdx ? nonNullLft : nonNullRgt;
          }
        }
      } else if (withProx) {
        let dist = abs(cursorLft - valToPosX(xValues[cursorIdx], scaleX, xDim, 0));
        if (dist > _prox)
          idx2 = null;
      }
      return idx2;
    };
  }
  const setCursorEvent = (e4) => {
    cursor.event = e4;
  };
  cursor.idxs = activeIdxs;
  cursor._lock = false;
  let points2 = cursor.points;
  points2.show = fnOrSelf(points2.show);
  points2.size = fnOrSelf(points2.size);
  points2.stroke = fnOrSelf(points2.stroke);
  points2.width = fnOrSelf(points2.width);
  points2.fill = fnOrSelf(points2.fill);
  const focus = self.focus = assign({}, opts.focus || { alpha: 0.3 }, cursor.focus);
  const cursorFocus = focus.prox >= 0;
  const cursorOnePt = cursorFocus && points2.one;
  let cursorPts = [];
  let cursorPtsLft = [];
  let cursorPtsTop = [];
  function initCursorPt(s4, si) {
    let pt = points2.show(self, si);
    if (pt instanceof HTMLElement) {
      addClass(pt, CURSOR_PT);
      addClass(pt, s4.class);
      elTrans(pt, -10, -10, plotWidCss, plotHgtCss);
      over.insertBefore(pt, cursorPts[si]);
      return pt;
    }
  }
  function initSeries(s4, i4) {
    if (mode == 1 || i4 > 0) {
      let isTime = mode == 1 && scales[s4.scale].time;
      let sv = s4.value;
      s4.value = isTime ? isStr(sv) ? timeSeriesVal(_tzDate, timeSeriesStamp(sv, _fmtDate)) : sv || _timeSeriesVal : sv || numSeriesVal;
      s4.label = s4.label || (isTime ? timeSeriesLabel : numSeriesLabel);
    }
    if (cursorOnePt || i4 > 0) {
      s4.width = s4.width == null ? 1 : s4.width;
      s4.paths = s4.paths || linearPath || retNull;
      s4.fillTo = fnOrSelf(s4.fillTo || seriesFillTo);
      s4.pxAlign = +ifNull(s4.pxAlign, pxAlign);
      s4.pxRound = pxRoundGen(s4.pxAlign);
      s4.stroke = fnOrSelf(s4.stroke || null);
      s4.fill = fnOrSelf(s4.fill || null);
      s4._stroke = s4._fill = s4._paths = s4._focus = null;
      let _ptDia = ptDia(max(1, s4.width), 1);
      let points3 = s4.points = assign({}, {
        size: _ptDia,
        width: max(1, _ptDia * 0.2),
        stroke: s4.stroke,
        space: _ptDia * 2,
        paths: pointsPath,
        _stroke: null,
        _fill: null
      }, s4.points);
      points3.show = fnOrSelf(points3.show);
      points3.filter = fnOrSelf(points3.filter);
      points3.fill = fnOrSelf(points3.fill);
      points3.stroke = fnOrSelf(points3.stroke);
      points3.paths = fnOrSelf(points3.paths);
      points3.pxAlign = s4.pxAlign;
    }
    if (showLegend) {
      let rowCells = initLegendRow(s4, i4);
      legendRows.splice(i4, 0, rowCells[0]);
      legendCells.splice(i4, 0, rowCells[1]);
      legend.values.push(null);
    }
    if (showCursor) {
      activeIdxs.splice(i4, 0, null);
      let pt = null;
      if (cursorOnePt) {
        if (i4 == 0)
          pt = initCursorPt(s4, i4);
      } else if (i4 > 0)
        pt = initCursorPt(s4, i4);
      cursorPts.splice(i4, 0, pt);
      cursorPtsLft.splice(i4, 0, 0);
      cursorPtsTop.splice(i4, 0, 0);
    }
    fire("addSeries", i4);
  }
  function addSeries(opts2, si) {
    si = si == null ? series.length : si;
    opts2 = mode == 1 ? setDefault(opts2, si, xSeriesOpts, ySeriesOpts) : setDefault(opts2, si, {}, xySeriesOpts);
    series.splice(si, 0, opts2);
    initSeries(series[si], si);
  }
  self.addSeries = addSeries;
  function delSeries(i4) {
    series.splice(i4, 1);
    if (showLegend) {
      legend.values.splice(i4, 1);
      legendCells.splice(i4, 1);
      let tr = legendRows.splice(i4, 1)[0];
      offMouse(null, tr.firstChild);
      tr.remove();
    }
    if (showCursor) {
      activeIdxs.splice(i4, 1);
      cursorPts.splice(i4, 1)[0].remove();
      cursorPtsLft.splice(i4, 1);
      cursorPtsTop.splice(i4, 1);
    }
    fire("delSeries", i4);
  }
  self.delSeries = delSeries;
  const sidesWithAxes = [false, false, false, false];
  function initAxis(axis, i4) {
    axis._show = axis.show;
    if (axis.show) {
      let isVt = axis.side % 2;
      let sc = scales[axis.scale];
      if (sc == null) {
        axis.scale = isVt ? series[1].scale : xScaleKey;
        sc = scales[axis.scale];
      }
      let isTime = sc.time;
      axis.size = fnOrSelf(axis.size);
      axis.space = fnOrSelf(axis.space);
      axis.rotate = fnOrSelf(axis.rotate);
      if (isArr(axis.incrs)) {
        axis.incrs.forEach((incr) => {
          !fixedDec.has(incr) && fixedDec.set(incr, guessDec(incr));
        });
      }
      axis.incrs = fnOrSelf(axis.incrs || (sc.distr == 2 ? wholeIncrs : isTime ? ms == 1 ? timeIncrsMs : timeIncrsS : numIncrs));
      axis.splits = fnOrSelf(axis.splits || (isTime && sc.distr == 1 ? _timeAxisSplits : sc.distr == 3 ? logAxisSplits : sc.distr == 4 ? asinhAxisSplits : numAxisSplits));
      axis.stroke = fnOrSelf(axis.stroke);
      axis.grid.stroke = fnOrSelf(axis.grid.stroke);
      axis.ticks.stroke = fnOrSelf(axis.ticks.stroke);
      axis.border.stroke = fnOrSelf(axis.border.stroke);
      let av = axis.values;
      axis.values = // static array of tick values
      isArr(av) && !isArr(av[0]) ? fnOrSelf(av) : (
        // temporal
        isTime ? (
          // config array of fmtDate string tpls
          isArr(av) ? timeAxisVals(_tzDate, timeAxisStamps(av, _fmtDate)) : (
            // fmtDate string tpl
            isStr(av) ? timeAxisVal(_tzDate, av) : av || _timeAxisVals
          )
        ) : av || numAxisVals
      );
      axis.filter = fnOrSelf(axis.filter || (sc.distr >= 3 && sc.log == 10 ? log10AxisValsFilt : sc.distr == 3 && sc.log == 2 ? log2AxisValsFilt : retArg1));
      axis.font = pxRatioFont(axis.font);
      axis.labelFont = pxRatioFont(axis.labelFont);
      axis._size = axis.size(self, null, i4, 0);
      axis._space = axis._rotate = axis._incrs = axis._found = // foundIncrSpace
      axis._splits = axis._values = null;
      if (axis._size > 0) {
        sidesWithAxes[i4] = true;
        axis._el = placeDiv(AXIS, wrap);
      }
    }
  }
  function autoPadSide(self2, side, sidesWithAxes2, cycleNum) {
    let [hasTopAxis, hasRgtAxis, hasBtmAxis, hasLftAxis] = sidesWithAxes2;
    let ori = side % 2;
    let size2 = 0;
    if (ori == 0 && (hasLftAxis || hasRgtAxis))
      size2 = side == 0 && !hasTopAxis || side == 2 && !hasBtmAxis ? round(xAxisOpts.size / 3) : 0;
    if (ori == 1 && (hasTopAxis || hasBtmAxis))
      size2 = side == 1 && !hasRgtAxis || side == 3 && !hasLftAxis ? round(yAxisOpts.size / 2) : 0;
    return size2;
  }
  const padding = self.padding = (opts.padding || [autoPadSide, autoPadSide, autoPadSide, autoPadSide]).map((p5) => fnOrSelf(ifNull(p5, autoPadSide)));
  const _padding = self._padding = padding.map((p5, i4) => p5(self, i4, sidesWithAxes, 0));
  let dataLen;
  let i0 = null;
  let i1 = null;
  const idxs = mode == 1 ? series[0].idxs : null;
  let data0 = null;
  let viaAutoScaleX = false;
  function setData(_data, _resetScales) {
    data = _data == null ? [] : _data;
    self.data = self._data = data;
    if (mode == 2) {
      dataLen = 0;
      for (let i4 = 1; i4 < series.length; i4++)
        dataLen += data[i4][0].length;
    } else {
      if (data.length == 0)
        self.data = self._data = data = [[]];
      data0 = data[0];
      dataLen = data0.length;
      let scaleData = data;
      if (xScaleDistr == 2) {
        scaleData = data.slice();
        let _data0 = scaleData[0] = Array(dataLen);
        for (let i4 = 0; i4 < dataLen; i4++)
          _data0[i4] = i4;
      }
      self._data = data = scaleData;
    }
    resetYSeries(true);
    fire("setData");
    if (xScaleDistr == 2) {
      shouldConvergeSize = true;
    }
    if (_resetScales !== false) {
      let xsc = scaleX;
      if (xsc.auto(self, viaAutoScaleX))
        autoScaleX();
      else
        _setScale(xScaleKey, xsc.min, xsc.max);
      shouldSetCursor = shouldSetCursor || cursor.left >= 0;
      shouldSetLegend = true;
      commit2();
    }
  }
  self.setData = setData;
  function autoScaleX() {
    viaAutoScaleX = true;
    let _min, _max;
    if (mode == 1) {
      if (dataLen > 0) {
        i0 = idxs[0] = 0;
        i1 = idxs[1] = dataLen - 1;
        _min = data[0][i0];
        _max = data[0][i1];
        if (xScaleDistr == 2) {
          _min = i0;
          _max = i1;
        } else if (_min == _max) {
          if (xScaleDistr == 3)
            [_min, _max] = rangeLog(_min, _min, scaleX.log, false);
          else if (xScaleDistr == 4)
            [_min, _max] = rangeAsinh(_min, _min, scaleX.log, false);
          else if (scaleX.time)
            _max = _min + round(86400 / ms);
          else
            [_min, _max] = rangeNum(_min, _max, rangePad, true);
        }
      } else {
        i0 = idxs[0] = _min = null;
        i1 = idxs[1] = _max = null;
      }
    }
    _setScale(xScaleKey, _min, _max);
  }
  let ctxStroke, ctxFill, ctxWidth, ctxDash, ctxJoin, ctxCap, ctxFont, ctxAlign, ctxBaseline;
  let ctxAlpha;
  function setCtxStyle(stroke, width2, dash, cap, fill, join2) {
    stroke ??= transparent;
    dash ??= EMPTY_ARR;
    cap ??= "butt";
    fill ??= transparent;
    join2 ??= "round";
    if (stroke != ctxStroke)
      ctx.strokeStyle = ctxStroke = stroke;
    if (fill != ctxFill)
      ctx.fillStyle = ctxFill = fill;
    if (width2 != ctxWidth)
      ctx.lineWidth = ctxWidth = width2;
    if (join2 != ctxJoin)
      ctx.lineJoin = ctxJoin = join2;
    if (cap != ctxCap)
      ctx.lineCap = ctxCap = cap;
    if (dash != ctxDash)
      ctx.setLineDash(ctxDash = dash);
  }
  function setFontStyle(font2, fill, align, baseline) {
    if (fill != ctxFill)
      ctx.fillStyle = ctxFill = fill;
    if (font2 != ctxFont)
      ctx.font = ctxFont = font2;
    if (align != ctxAlign)
      ctx.textAlign = ctxAlign = align;
    if (baseline != ctxBaseline)
      ctx.textBaseline = ctxBaseline = baseline;
  }
  function accScale(wsc, psc, facet2, data2, sorted = 0) {
    if (data2.length > 0 && wsc.auto(self, viaAutoScaleX) && (psc == null || psc.min == null)) {
      let _i0 = ifNull(i0, 0);
      let _i1 = ifNull(i1, data2.length - 1);
      let minMax = facet2.min == null ? getMinMax(data2, _i0, _i1, sorted, wsc.distr == 3) : [facet2.min, facet2.max];
      wsc.min = min(wsc.min, facet2.min = minMax[0]);
      wsc.max = max(wsc.max, facet2.max = minMax[1]);
    }
  }
  const AUTOSCALE = { min: null, max: null };
  function setScales() {
    for (let k5 in scales) {
      let sc = scales[k5];
      if (pendScales[k5] == null && // scales that have never been set (on init)
      (sc.min == null || // or auto scales when the x scale was explicitly set
      pendScales[xScaleKey] != null && sc.auto(self, viaAutoScaleX))) {
        pendScales[k5] = AUTOSCALE;
      }
    }
    for (let k5 in scales) {
      let sc = scales[k5];
      if (pendScales[k5] == null && sc.from != null && pendScales[sc.from] != null)
        pendScales[k5] = AUTOSCALE;
    }
    if (pendScales[xScaleKey] != null)
      resetYSeries(true);
    let wipScales = {};
    for (let k5 in pendScales) {
      let psc = pendScales[k5];
      if (psc != null) {
        let wsc = wipScales[k5] = copy(scales[k5], fastIsObj);
        if (psc.min != null)
          assign(wsc, psc);
        else if (k5 != xScaleKey || mode == 2) {
          if (dataLen == 0 && wsc.from == null) {
            let minMax = wsc.range(self, null, null, k5);
            wsc.min = minMax[0];
            wsc.max = minMax[1];
          } else {
            wsc.min = inf;
            wsc.max = -inf;
          }
        }
      }
    }
    if (dataLen > 0) {
      series.forEach((s4, i4) => {
        if (mode == 1) {
          let k5 = s4.scale;
          let psc = pendScales[k5];
          if (psc == null)
            return;
          let wsc = wipScales[k5];
          if (i4 == 0) {
            let minMax = wsc.range(self, wsc.min, wsc.max, k5);
            wsc.min = minMax[0];
            wsc.max = minMax[1];
            i0 = closestIdx(wsc.min, data[0]);
            i1 = closestIdx(wsc.max, data[0]);
            if (i1 - i0 > 1) {
              if (data[0][i0] < wsc.min)
                i0++;
              if (data[0][i1] > wsc.max)
                i1--;
            }
            s4.min = data0[i0];
            s4.max = data0[i1];
          } else if (s4.show && s4.auto)
            accScale(wsc, psc, s4, data[i4], s4.sorted);
          s4.idxs[0] = i0;
          s4.idxs[1] = i1;
        } else {
          if (i4 > 0) {
            if (s4.show && s4.auto) {
              let [xFacet, yFacet] = s4.facets;
              let xScaleKey2 = xFacet.scale;
              let yScaleKey = yFacet.scale;
              let [xData, yData] = data[i4];
              let wscx = wipScales[xScaleKey2];
              let wscy = wipScales[yScaleKey];
              wscx != null && accScale(wscx, pendScales[xScaleKey2], xFacet, xData, xFacet.sorted);
              wscy != null && accScale(wscy, pendScales[yScaleKey], yFacet, yData, yFacet.sorted);
              s4.min = yFacet.min;
              s4.max = yFacet.max;
            }
          }
        }
      });
      for (let k5 in wipScales) {
        let wsc = wipScales[k5];
        let psc = pendScales[k5];
        if (wsc.from == null && (psc == null || psc.min == null)) {
          let minMax = wsc.range(
            self,
            wsc.min == inf ? null : wsc.min,
            wsc.max == -inf ? null : wsc.max,
            k5
          );
          wsc.min = minMax[0];
          wsc.max = minMax[1];
        }
      }
    }
    for (let k5 in wipScales) {
      let wsc = wipScales[k5];
      if (wsc.from != null) {
        let base2 = wipScales[wsc.from];
        if (base2.min == null)
          wsc.min = wsc.max = null;
        else {
          let minMax = wsc.range(self, base2.min, base2.max, k5);
          wsc.min = minMax[0];
          wsc.max = minMax[1];
        }
      }
    }
    let changed = {};
    let anyChanged = false;
    for (let k5 in wipScales) {
      let wsc = wipScales[k5];
      let sc = scales[k5];
      if (sc.min != wsc.min || sc.max != wsc.max) {
        sc.min = wsc.min;
        sc.max = wsc.max;
        let distr = sc.distr;
        sc._min = distr == 3 ? log10(sc.min) : distr == 4 ? asinh(sc.min, sc.asinh) : distr == 100 ? sc.fwd(sc.min) : sc.min;
        sc._max = distr == 3 ? log10(sc.max) : distr == 4 ? asinh(sc.max, sc.asinh) : distr == 100 ? sc.fwd(sc.max) : sc.max;
        changed[k5] = anyChanged = true;
      }
    }
    if (anyChanged) {
      series.forEach((s4, i4) => {
        if (mode == 2) {
          if (i4 > 0 && changed.y)
            s4._paths = null;
        } else {
          if (changed[s4.scale])
            s4._paths = null;
        }
      });
      for (let k5 in changed) {
        shouldConvergeSize = true;
        fire("setScale", k5);
      }
      if (showCursor && cursor.left >= 0)
        shouldSetCursor = shouldSetLegend = true;
    }
    for (let k5 in pendScales)
      pendScales[k5] = null;
  }
  function getOuterIdxs(ydata) {
    let _i0 = clamp(i0 - 1, 0, dataLen - 1);
    let _i1 = clamp(i1 + 1, 0, dataLen - 1);
    while (ydata[_i0] == null && _i0 > 0)
      _i0--;
    while (ydata[_i1] == null && _i1 < dataLen - 1)
      _i1++;
    return [_i0, _i1];
  }
  function drawSeries() {
    if (dataLen > 0) {
      let shouldAlpha = series.some((s4) => s4._focus) && ctxAlpha != focus.alpha;
      if (shouldAlpha)
        ctx.globalAlpha = ctxAlpha = focus.alpha;
      series.forEach((s4, i4) => {
        if (i4 > 0 && s4.show) {
          cacheStrokeFill(i4, false);
          cacheStrokeFill(i4, true);
          if (s4._paths == null) {
            let _ctxAlpha = ctxAlpha;
            if (ctxAlpha != s4.alpha)
              ctx.globalAlpha = ctxAlpha = s4.alpha;
            let _idxs = mode == 2 ? [0, data[i4][0].length - 1] : getOuterIdxs(data[i4]);
            s4._paths = s4.paths(self, i4, _idxs[0], _idxs[1]);
            if (ctxAlpha != _ctxAlpha)
              ctx.globalAlpha = ctxAlpha = _ctxAlpha;
          }
        }
      });
      series.forEach((s4, i4) => {
        if (i4 > 0 && s4.show) {
          let _ctxAlpha = ctxAlpha;
          if (ctxAlpha != s4.alpha)
            ctx.globalAlpha = ctxAlpha = s4.alpha;
          s4._paths != null && drawPath(i4, false);
          {
            let _gaps = s4._paths != null ? s4._paths.gaps : null;
            let show = s4.points.show(self, i4, i0, i1, _gaps);
            let idxs2 = s4.points.filter(self, i4, show, _gaps);
            if (show || idxs2) {
              s4.points._paths = s4.points.paths(self, i4, i0, i1, idxs2);
              drawPath(i4, true);
            }
          }
          if (ctxAlpha != _ctxAlpha)
            ctx.globalAlpha = ctxAlpha = _ctxAlpha;
          fire("drawSeries", i4);
        }
      });
      if (shouldAlpha)
        ctx.globalAlpha = ctxAlpha = 1;
    }
  }
  function cacheStrokeFill(si, _points) {
    let s4 = _points ? series[si].points : series[si];
    s4._stroke = s4.stroke(self, si);
    s4._fill = s4.fill(self, si);
  }
  function drawPath(si, _points) {
    let s4 = _points ? series[si].points : series[si];
    let {
      stroke,
      fill,
      clip: gapsClip,
      flags,
      _stroke: strokeStyle = s4._stroke,
      _fill: fillStyle = s4._fill,
      _width: width2 = s4.width
    } = s4._paths;
    width2 = roundDec(width2 * pxRatio, 3);
    let boundsClip = null;
    let offset = width2 % 2 / 2;
    if (_points && fillStyle == null)
      fillStyle = width2 > 0 ? "#fff" : strokeStyle;
    let _pxAlign = s4.pxAlign == 1 && offset > 0;
    _pxAlign && ctx.translate(offset, offset);
    if (!_points) {
      let lft = plotLft - width2 / 2, top = plotTop - width2 / 2, wid = plotWid + width2, hgt = plotHgt + width2;
      boundsClip = new Path2D();
      boundsClip.rect(lft, top, wid, hgt);
    }
    if (_points)
      strokeFill(strokeStyle, width2, s4.dash, s4.cap, fillStyle, stroke, fill, flags, gapsClip);
    else
      fillStroke(si, strokeStyle, width2, s4.dash, s4.cap, fillStyle, stroke, fill, flags, boundsClip, gapsClip);
    _pxAlign && ctx.translate(-offset, -offset);
  }
  function fillStroke(si, strokeStyle, lineWidth, lineDash, lineCap, fillStyle, strokePath, fillPath, flags, boundsClip, gapsClip) {
    let didStrokeFill = false;
    flags != 0 && bands.forEach((b3, bi) => {
      if (b3.series[0] == si) {
        let lowerEdge = series[b3.series[1]];
        let lowerData = data[b3.series[1]];
        let bandClip = (lowerEdge._paths || EMPTY_OBJ).band;
        if (isArr(bandClip))
          bandClip = b3.dir == 1 ? bandClip[0] : bandClip[1];
        let gapsClip2;
        let _fillStyle = null;
        if (lowerEdge.show && bandClip && hasData(lowerData, i0, i1)) {
          _fillStyle = b3.fill(self, bi) || fillStyle;
          gapsClip2 = lowerEdge._paths.clip;
        } else
          bandClip = null;
        strokeFill(strokeStyle, lineWidth, lineDash, lineCap, _fillStyle, strokePath, fillPath, flags, boundsClip, gapsClip, gapsClip2, bandClip);
        didStrokeFill = true;
      }
    });
    if (!didStrokeFill)
      strokeFill(strokeStyle, lineWidth, lineDash, lineCap, fillStyle, strokePath, fillPath, flags, boundsClip, gapsClip);
  }
  const CLIP_FILL_STROKE = BAND_CLIP_FILL | BAND_CLIP_STROKE;
  function strokeFill(strokeStyle, lineWidth, lineDash, lineCap, fillStyle, strokePath, fillPath, flags, boundsClip, gapsClip, gapsClip2, bandClip) {
    setCtxStyle(strokeStyle, lineWidth, lineDash, lineCap, fillStyle);
    if (boundsClip || gapsClip || bandClip) {
      ctx.save();
      boundsClip && ctx.clip(boundsClip);
      gapsClip && ctx.clip(gapsClip);
    }
    if (bandClip) {
      if ((flags & CLIP_FILL_STROKE) == CLIP_FILL_STROKE) {
        ctx.clip(bandClip);
        gapsClip2 && ctx.clip(gapsClip2);
        doFill(fillStyle, fillPath);
        doStroke(strokeStyle, strokePath, lineWidth);
      } else if (flags & BAND_CLIP_STROKE) {
        doFill(fillStyle, fillPath);
        ctx.clip(bandClip);
        doStroke(strokeStyle, strokePath, lineWidth);
      } else if (flags & BAND_CLIP_FILL) {
        ctx.save();
        ctx.clip(bandClip);
        gapsClip2 && ctx.clip(gapsClip2);
        doFill(fillStyle, fillPath);
        ctx.restore();
        doStroke(strokeStyle, strokePath, lineWidth);
      }
    } else {
      doFill(fillStyle, fillPath);
      doStroke(strokeStyle, strokePath, lineWidth);
    }
    if (boundsClip || gapsClip || bandClip)
      ctx.restore();
  }
  function doStroke(strokeStyle, strokePath, lineWidth) {
    if (lineWidth > 0) {
      if (strokePath instanceof Map) {
        strokePath.forEach((strokePath2, strokeStyle2) => {
          ctx.strokeStyle = ctxStroke = strokeStyle2;
          ctx.stroke(strokePath2);
        });
      } else
        strokePath != null && strokeStyle && ctx.stroke(strokePath);
    }
  }
  function doFill(fillStyle, fillPath) {
    if (fillPath instanceof Map) {
      fillPath.forEach((fillPath2, fillStyle2) => {
        ctx.fillStyle = ctxFill = fillStyle2;
        ctx.fill(fillPath2);
      });
    } else
      fillPath != null && fillStyle && ctx.fill(fillPath);
  }
  function getIncrSpace(axisIdx, min2, max2, fullDim) {
    let axis = axes[axisIdx];
    let incrSpace;
    if (fullDim <= 0)
      incrSpace = [0, 0];
    else {
      let minSpace = axis._space = axis.space(self, axisIdx, min2, max2, fullDim);
      let incrs = axis._incrs = axis.incrs(self, axisIdx, min2, max2, fullDim, minSpace);
      incrSpace = findIncr(min2, max2, incrs, fullDim, minSpace);
    }
    return axis._found = incrSpace;
  }
  function drawOrthoLines(offs, filts, ori, side, pos0, len, width2, stroke, dash, cap) {
    let offset = width2 % 2 / 2;
    pxAlign == 1 && ctx.translate(offset, offset);
    setCtxStyle(stroke, width2, dash, cap, stroke);
    ctx.beginPath();
    let x0, y0, x1, y1, pos1 = pos0 + (side == 0 || side == 3 ? -len : len);
    if (ori == 0) {
      y0 = pos0;
      y1 = pos1;
    } else {
      x0 = pos0;
      x1 = pos1;
    }
    for (let i4 = 0; i4 < offs.length; i4++) {
      if (filts[i4] != null) {
        if (ori == 0)
          x0 = x1 = offs[i4];
        else
          y0 = y1 = offs[i4];
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
      }
    }
    ctx.stroke();
    pxAlign == 1 && ctx.translate(-offset, -offset);
  }
  function axesCalc(cycleNum) {
    let converged = true;
    axes.forEach((axis, i4) => {
      if (!axis.show)
        return;
      let scale = scales[axis.scale];
      if (scale.min == null) {
        if (axis._show) {
          converged = false;
          axis._show = false;
          resetYSeries(false);
        }
        return;
      } else {
        if (!axis._show) {
          converged = false;
          axis._show = true;
          resetYSeries(false);
        }
      }
      let side = axis.side;
      let ori = side % 2;
      let { min: min2, max: max2 } = scale;
      let [_incr, _space] = getIncrSpace(i4, min2, max2, ori == 0 ? plotWidCss : plotHgtCss);
      if (_space == 0)
        return;
      let forceMin = scale.distr == 2;
      let _splits = axis._splits = axis.splits(self, i4, min2, max2, _incr, _space, forceMin);
      let splits = scale.distr == 2 ? _splits.map((i5) => data0[i5]) : _splits;
      let incr = scale.distr == 2 ? data0[_splits[1]] - data0[_splits[0]] : _incr;
      let values = axis._values = axis.values(self, axis.filter(self, splits, i4, _space, incr), i4, _space, incr);
      axis._rotate = side == 2 ? axis.rotate(self, values, i4, _space) : 0;
      let oldSize = axis._size;
      axis._size = ceil(axis.size(self, values, i4, cycleNum));
      if (oldSize != null && axis._size != oldSize)
        converged = false;
    });
    return converged;
  }
  function paddingCalc(cycleNum) {
    let converged = true;
    padding.forEach((p5, i4) => {
      let _p = p5(self, i4, sidesWithAxes, cycleNum);
      if (_p != _padding[i4])
        converged = false;
      _padding[i4] = _p;
    });
    return converged;
  }
  function drawAxesGrid() {
    for (let i4 = 0; i4 < axes.length; i4++) {
      let axis = axes[i4];
      if (!axis.show || !axis._show)
        continue;
      let side = axis.side;
      let ori = side % 2;
      let x4, y5;
      let fillStyle = axis.stroke(self, i4);
      let shiftDir = side == 0 || side == 3 ? -1 : 1;
      let [_incr, _space] = axis._found;
      if (axis.label != null) {
        let shiftAmt2 = axis.labelGap * shiftDir;
        let baseLpos = round((axis._lpos + shiftAmt2) * pxRatio);
        setFontStyle(axis.labelFont[0], fillStyle, "center", side == 2 ? TOP : BOTTOM);
        ctx.save();
        if (ori == 1) {
          x4 = y5 = 0;
          ctx.translate(
            baseLpos,
            round(plotTop + plotHgt / 2)
          );
          ctx.rotate((side == 3 ? -PI : PI) / 2);
        } else {
          x4 = round(plotLft + plotWid / 2);
          y5 = baseLpos;
        }
        let _label = isFn(axis.label) ? axis.label(self, i4, _incr, _space) : axis.label;
        ctx.fillText(_label, x4, y5);
        ctx.restore();
      }
      if (_space == 0)
        continue;
      let scale = scales[axis.scale];
      let plotDim = ori == 0 ? plotWid : plotHgt;
      let plotOff = ori == 0 ? plotLft : plotTop;
      let _splits = axis._splits;
      let splits = scale.distr == 2 ? _splits.map((i5) => data0[i5]) : _splits;
      let incr = scale.distr == 2 ? data0[_splits[1]] - data0[_splits[0]] : _incr;
      let ticks2 = axis.ticks;
      let border2 = axis.border;
      let _tickSize = ticks2.show ? ticks2.size : 0;
      let tickSize = round(_tickSize * pxRatio);
      let axisGap = round((axis.alignTo == 2 ? axis._size - _tickSize - axis.gap : axis.gap) * pxRatio);
      let angle = axis._rotate * -PI / 180;
      let basePos = pxRound(axis._pos * pxRatio);
      let shiftAmt = (tickSize + axisGap) * shiftDir;
      let finalPos = basePos + shiftAmt;
      y5 = ori == 0 ? finalPos : 0;
      x4 = ori == 1 ? finalPos : 0;
      let font2 = axis.font[0];
      let textAlign = axis.align == 1 ? LEFT : axis.align == 2 ? RIGHT : angle > 0 ? LEFT : angle < 0 ? RIGHT : ori == 0 ? "center" : side == 3 ? RIGHT : LEFT;
      let textBaseline = angle || ori == 1 ? "middle" : side == 2 ? TOP : BOTTOM;
      setFontStyle(font2, fillStyle, textAlign, textBaseline);
      let lineHeight = axis.font[1] * axis.lineGap;
      let canOffs = _splits.map((val) => pxRound(getPos(val, scale, plotDim, plotOff)));
      let _values = axis._values;
      for (let i5 = 0; i5 < _values.length; i5++) {
        let val = _values[i5];
        if (val != null) {
          if (ori == 0)
            x4 = canOffs[i5];
          else
            y5 = canOffs[i5];
          val = "" + val;
          let _parts = val.indexOf("\n") == -1 ? [val] : val.split(/\n/gm);
          for (let j3 = 0; j3 < _parts.length; j3++) {
            let text = _parts[j3];
            if (angle) {
              ctx.save();
              ctx.translate(x4, y5 + j3 * lineHeight);
              ctx.rotate(angle);
              ctx.fillText(text, 0, 0);
              ctx.restore();
            } else
              ctx.fillText(text, x4, y5 + j3 * lineHeight);
          }
        }
      }
      if (ticks2.show) {
        drawOrthoLines(
          canOffs,
          ticks2.filter(self, splits, i4, _space, incr),
          ori,
          side,
          basePos,
          tickSize,
          roundDec(ticks2.width * pxRatio, 3),
          ticks2.stroke(self, i4),
          ticks2.dash,
          ticks2.cap
        );
      }
      let grid2 = axis.grid;
      if (grid2.show) {
        drawOrthoLines(
          canOffs,
          grid2.filter(self, splits, i4, _space, incr),
          ori,
          ori == 0 ? 2 : 1,
          ori == 0 ? plotTop : plotLft,
          ori == 0 ? plotHgt : plotWid,
          roundDec(grid2.width * pxRatio, 3),
          grid2.stroke(self, i4),
          grid2.dash,
          grid2.cap
        );
      }
      if (border2.show) {
        drawOrthoLines(
          [basePos],
          [1],
          ori == 0 ? 1 : 0,
          ori == 0 ? 1 : 2,
          ori == 1 ? plotTop : plotLft,
          ori == 1 ? plotHgt : plotWid,
          roundDec(border2.width * pxRatio, 3),
          border2.stroke(self, i4),
          border2.dash,
          border2.cap
        );
      }
    }
    fire("drawAxes");
  }
  function resetYSeries(minMax) {
    series.forEach((s4, i4) => {
      if (i4 > 0) {
        s4._paths = null;
        if (minMax) {
          if (mode == 1) {
            s4.min = null;
            s4.max = null;
          } else {
            s4.facets.forEach((f5) => {
              f5.min = null;
              f5.max = null;
            });
          }
        }
      }
    });
  }
  let queuedCommit = false;
  let deferHooks = false;
  let hooksQueue = [];
  function flushHooks() {
    deferHooks = false;
    for (let i4 = 0; i4 < hooksQueue.length; i4++)
      fire(...hooksQueue[i4]);
    hooksQueue.length = 0;
  }
  function commit2() {
    if (!queuedCommit) {
      microTask(_commit);
      queuedCommit = true;
    }
  }
  function batch(fn, _deferHooks = false) {
    queuedCommit = true;
    deferHooks = _deferHooks;
    fn(self);
    _commit();
    if (_deferHooks && hooksQueue.length > 0)
      queueMicrotask(flushHooks);
  }
  self.batch = batch;
  function _commit() {
    if (shouldSetScales) {
      setScales();
      shouldSetScales = false;
    }
    if (shouldConvergeSize) {
      convergeSize();
      shouldConvergeSize = false;
    }
    if (shouldSetSize) {
      setStylePx(under, LEFT, plotLftCss);
      setStylePx(under, TOP, plotTopCss);
      setStylePx(under, WIDTH, plotWidCss);
      setStylePx(under, HEIGHT, plotHgtCss);
      setStylePx(over, LEFT, plotLftCss);
      setStylePx(over, TOP, plotTopCss);
      setStylePx(over, WIDTH, plotWidCss);
      setStylePx(over, HEIGHT, plotHgtCss);
      setStylePx(wrap, WIDTH, fullWidCss);
      setStylePx(wrap, HEIGHT, fullHgtCss);
      can2.width = round(fullWidCss * pxRatio);
      can2.height = round(fullHgtCss * pxRatio);
      axes.forEach(({ _el, _show, _size, _pos, side }) => {
        if (_el != null) {
          if (_show) {
            let posOffset = side === 3 || side === 0 ? _size : 0;
            let isVt = side % 2 == 1;
            setStylePx(_el, isVt ? "left" : "top", _pos - posOffset);
            setStylePx(_el, isVt ? "width" : "height", _size);
            setStylePx(_el, isVt ? "top" : "left", isVt ? plotTopCss : plotLftCss);
            setStylePx(_el, isVt ? "height" : "width", isVt ? plotHgtCss : plotWidCss);
            remClass(_el, OFF);
          } else
            addClass(_el, OFF);
        }
      });
      ctxStroke = ctxFill = ctxWidth = ctxJoin = ctxCap = ctxFont = ctxAlign = ctxBaseline = ctxDash = null;
      ctxAlpha = 1;
      syncRect(true);
      if (plotLftCss != _plotLftCss || plotTopCss != _plotTopCss || plotWidCss != _plotWidCss || plotHgtCss != _plotHgtCss) {
        resetYSeries(false);
        let pctWid = plotWidCss / _plotWidCss;
        let pctHgt = plotHgtCss / _plotHgtCss;
        if (showCursor && !shouldSetCursor && cursor.left >= 0) {
          cursor.left *= pctWid;
          cursor.top *= pctHgt;
          vCursor && elTrans(vCursor, round(cursor.left), 0, plotWidCss, plotHgtCss);
          hCursor && elTrans(hCursor, 0, round(cursor.top), plotWidCss, plotHgtCss);
          for (let i4 = 0; i4 < cursorPts.length; i4++) {
            let pt = cursorPts[i4];
            if (pt != null) {
              cursorPtsLft[i4] *= pctWid;
              cursorPtsTop[i4] *= pctHgt;
              elTrans(pt, ceil(cursorPtsLft[i4]), ceil(cursorPtsTop[i4]), plotWidCss, plotHgtCss);
            }
          }
        }
        if (select.show && !shouldSetSelect && select.left >= 0 && select.width > 0) {
          select.left *= pctWid;
          select.width *= pctWid;
          select.top *= pctHgt;
          select.height *= pctHgt;
          for (let prop in _hideProps)
            setStylePx(selectDiv, prop, select[prop]);
        }
        _plotLftCss = plotLftCss;
        _plotTopCss = plotTopCss;
        _plotWidCss = plotWidCss;
        _plotHgtCss = plotHgtCss;
      }
      fire("setSize");
      shouldSetSize = false;
    }
    if (fullWidCss > 0 && fullHgtCss > 0) {
      ctx.clearRect(0, 0, can2.width, can2.height);
      fire("drawClear");
      drawOrder.forEach((fn) => fn());
      fire("draw");
    }
    if (select.show && shouldSetSelect) {
      setSelect(select);
      shouldSetSelect = false;
    }
    if (showCursor && shouldSetCursor) {
      updateCursor(null, true, false);
      shouldSetCursor = false;
    }
    if (legend.show && legend.live && shouldSetLegend) {
      setLegend();
      shouldSetLegend = false;
    }
    if (!ready) {
      ready = true;
      self.status = 1;
      fire("ready");
    }
    viaAutoScaleX = false;
    queuedCommit = false;
  }
  self.redraw = (rebuildPaths, recalcAxes) => {
    shouldConvergeSize = recalcAxes || false;
    if (rebuildPaths !== false)
      _setScale(xScaleKey, scaleX.min, scaleX.max);
    else
      commit2();
  };
  function setScale(key2, opts2) {
    let sc = scales[key2];
    if (sc.from == null) {
      if (dataLen == 0) {
        let minMax = sc.range(self, opts2.min, opts2.max, key2);
        opts2.min = minMax[0];
        opts2.max = minMax[1];
      }
      if (opts2.min > opts2.max) {
        let _min = opts2.min;
        opts2.min = opts2.max;
        opts2.max = _min;
      }
      if (dataLen > 1 && opts2.min != null && opts2.max != null && opts2.max - opts2.min < 1e-16)
        return;
      if (key2 == xScaleKey) {
        if (sc.distr == 2 && dataLen > 0) {
          opts2.min = closestIdx(opts2.min, data[0]);
          opts2.max = closestIdx(opts2.max, data[0]);
          if (opts2.min == opts2.max)
            opts2.max++;
        }
      }
      pendScales[key2] = opts2;
      shouldSetScales = true;
      commit2();
    }
  }
  self.setScale = setScale;
  let xCursor;
  let yCursor;
  let vCursor;
  let hCursor;
  let rawMouseLeft0;
  let rawMouseTop0;
  let mouseLeft0;
  let mouseTop0;
  let rawMouseLeft1;
  let rawMouseTop1;
  let mouseLeft1;
  let mouseTop1;
  let dragging = false;
  const drag = cursor.drag;
  let dragX = drag.x;
  let dragY = drag.y;
  if (showCursor) {
    if (cursor.x)
      xCursor = placeDiv(CURSOR_X, over);
    if (cursor.y)
      yCursor = placeDiv(CURSOR_Y, over);
    if (scaleX.ori == 0) {
      vCursor = xCursor;
      hCursor = yCursor;
    } else {
      vCursor = yCursor;
      hCursor = xCursor;
    }
    mouseLeft1 = cursor.left;
    mouseTop1 = cursor.top;
  }
  const select = self.select = assign({
    show: true,
    over: true,
    left: 0,
    width: 0,
    top: 0,
    height: 0
  }, opts.select);
  const selectDiv = select.show ? placeDiv(SELECT, select.over ? over : under) : null;
  function setSelect(opts2, _fire) {
    if (select.show) {
      for (let prop in opts2) {
        select[prop] = opts2[prop];
        if (prop in _hideProps)
          setStylePx(selectDiv, prop, opts2[prop]);
      }
      _fire !== false && fire("setSelect");
    }
  }
  self.setSelect = setSelect;
  function toggleDOM(i4) {
    let s4 = series[i4];
    if (s4.show)
      showLegend && remClass(legendRows[i4], OFF);
    else {
      showLegend && addClass(legendRows[i4], OFF);
      if (showCursor) {
        let pt = cursorOnePt ? cursorPts[0] : cursorPts[i4];
        pt != null && elTrans(pt, -10, -10, plotWidCss, plotHgtCss);
      }
    }
  }
  function _setScale(key2, min2, max2) {
    setScale(key2, { min: min2, max: max2 });
  }
  function setSeries(i4, opts2, _fire, _pub) {
    if (opts2.focus != null)
      setFocus(i4);
    if (opts2.show != null) {
      series.forEach((s4, si) => {
        if (si > 0 && (i4 == si || i4 == null)) {
          s4.show = opts2.show;
          toggleDOM(si);
          if (mode == 2) {
            _setScale(s4.facets[0].scale, null, null);
            _setScale(s4.facets[1].scale, null, null);
          } else
            _setScale(s4.scale, null, null);
          commit2();
        }
      });
    }
    _fire !== false && fire("setSeries", i4, opts2);
    _pub && pubSync("setSeries", self, i4, opts2);
  }
  self.setSeries = setSeries;
  function setBand(bi, opts2) {
    assign(bands[bi], opts2);
  }
  function addBand(opts2, bi) {
    opts2.fill = fnOrSelf(opts2.fill || null);
    opts2.dir = ifNull(opts2.dir, -1);
    bi = bi == null ? bands.length : bi;
    bands.splice(bi, 0, opts2);
  }
  function delBand(bi) {
    if (bi == null)
      bands.length = 0;
    else
      bands.splice(bi, 1);
  }
  self.addBand = addBand;
  self.setBand = setBand;
  self.delBand = delBand;
  function setAlpha(i4, value) {
    series[i4].alpha = value;
    if (showCursor && cursorPts[i4] != null)
      cursorPts[i4].style.opacity = value;
    if (showLegend && legendRows[i4])
      legendRows[i4].style.opacity = value;
  }
  let closestDist;
  let closestSeries;
  let focusedSeries;
  const FOCUS_TRUE = { focus: true };
  function setFocus(i4) {
    if (i4 != focusedSeries) {
      let allFocused = i4 == null;
      let _setAlpha = focus.alpha != 1;
      series.forEach((s4, i22) => {
        if (mode == 1 || i22 > 0) {
          let isFocused = allFocused || i22 == 0 || i22 == i4;
          s4._focus = allFocused ? null : isFocused;
          _setAlpha && setAlpha(i22, isFocused ? 1 : focus.alpha);
        }
      });
      focusedSeries = i4;
      _setAlpha && commit2();
    }
  }
  if (showLegend && cursorFocus) {
    onMouse(mouseleave, legendTable, (e4) => {
      if (cursor._lock)
        return;
      setCursorEvent(e4);
      if (focusedSeries != null)
        setSeries(null, FOCUS_TRUE, true, syncOpts.setSeries);
    });
  }
  function posToVal(pos, scale, can3) {
    let sc = scales[scale];
    if (can3)
      pos = pos / pxRatio - (sc.ori == 1 ? plotTopCss : plotLftCss);
    let dim = plotWidCss;
    if (sc.ori == 1) {
      dim = plotHgtCss;
      pos = dim - pos;
    }
    if (sc.dir == -1)
      pos = dim - pos;
    let _min = sc._min, _max = sc._max, pct = pos / dim;
    let sv = _min + (_max - _min) * pct;
    let distr = sc.distr;
    return distr == 3 ? pow(10, sv) : distr == 4 ? sinh(sv, sc.asinh) : distr == 100 ? sc.bwd(sv) : sv;
  }
  function closestIdxFromXpos(pos, can3) {
    let v5 = posToVal(pos, xScaleKey, can3);
    return closestIdx(v5, data[0], i0, i1);
  }
  self.valToIdx = (val) => closestIdx(val, data[0]);
  self.posToIdx = closestIdxFromXpos;
  self.posToVal = posToVal;
  self.valToPos = (val, scale, can3) => scales[scale].ori == 0 ? getHPos(
    val,
    scales[scale],
    can3 ? plotWid : plotWidCss,
    can3 ? plotLft : 0
  ) : getVPos(
    val,
    scales[scale],
    can3 ? plotHgt : plotHgtCss,
    can3 ? plotTop : 0
  );
  self.setCursor = (opts2, _fire, _pub) => {
    mouseLeft1 = opts2.left;
    mouseTop1 = opts2.top;
    updateCursor(null, _fire, _pub);
  };
  function setSelH(off2, dim) {
    setStylePx(selectDiv, LEFT, select.left = off2);
    setStylePx(selectDiv, WIDTH, select.width = dim);
  }
  function setSelV(off2, dim) {
    setStylePx(selectDiv, TOP, select.top = off2);
    setStylePx(selectDiv, HEIGHT, select.height = dim);
  }
  let setSelX = scaleX.ori == 0 ? setSelH : setSelV;
  let setSelY = scaleX.ori == 1 ? setSelH : setSelV;
  function syncLegend() {
    if (showLegend && legend.live) {
      for (let i4 = mode == 2 ? 1 : 0; i4 < series.length; i4++) {
        if (i4 == 0 && multiValLegend)
          continue;
        let vals = legend.values[i4];
        let j3 = 0;
        for (let k5 in vals)
          legendCells[i4][j3++].firstChild.nodeValue = vals[k5];
      }
    }
  }
  function setLegend(opts2, _fire) {
    if (opts2 != null) {
      if (opts2.idxs) {
        opts2.idxs.forEach((didx, sidx) => {
          activeIdxs[sidx] = didx;
        });
      } else if (!isUndef(opts2.idx))
        activeIdxs.fill(opts2.idx);
      legend.idx = activeIdxs[0];
    }
    if (showLegend && legend.live) {
      for (let sidx = 0; sidx < series.length; sidx++) {
        if (sidx > 0 || mode == 1 && !multiValLegend)
          setLegendValues(sidx, activeIdxs[sidx]);
      }
      syncLegend();
    }
    shouldSetLegend = false;
    _fire !== false && fire("setLegend");
  }
  self.setLegend = setLegend;
  function setLegendValues(sidx, idx) {
    let s4 = series[sidx];
    let src = sidx == 0 && xScaleDistr == 2 ? data0 : data[sidx];
    let val;
    if (multiValLegend)
      val = s4.values(self, sidx, idx) ?? NULL_LEGEND_VALUES;
    else {
      val = s4.value(self, idx == null ? null : src[idx], sidx, idx);
      val = val == null ? NULL_LEGEND_VALUES : { _: val };
    }
    legend.values[sidx] = val;
  }
  function updateCursor(src, _fire, _pub) {
    rawMouseLeft1 = mouseLeft1;
    rawMouseTop1 = mouseTop1;
    [mouseLeft1, mouseTop1] = cursor.move(self, mouseLeft1, mouseTop1);
    cursor.left = mouseLeft1;
    cursor.top = mouseTop1;
    if (showCursor) {
      vCursor && elTrans(vCursor, round(mouseLeft1), 0, plotWidCss, plotHgtCss);
      hCursor && elTrans(hCursor, 0, round(mouseTop1), plotWidCss, plotHgtCss);
    }
    let idx;
    let noDataInRange = i0 > i1;
    closestDist = inf;
    closestSeries = null;
    let xDim = scaleX.ori == 0 ? plotWidCss : plotHgtCss;
    let yDim = scaleX.ori == 1 ? plotWidCss : plotHgtCss;
    if (mouseLeft1 < 0 || dataLen == 0 || noDataInRange) {
      idx = cursor.idx = null;
      for (let i4 = 0; i4 < series.length; i4++) {
        let pt = cursorPts[i4];
        pt != null && elTrans(pt, -10, -10, plotWidCss, plotHgtCss);
      }
      if (cursorFocus)
        setSeries(null, FOCUS_TRUE, true, src == null && syncOpts.setSeries);
      if (legend.live) {
        activeIdxs.fill(idx);
        shouldSetLegend = true;
      }
    } else {
      let mouseXPos, valAtPosX, xPos;
      if (mode == 1) {
        mouseXPos = scaleX.ori == 0 ? mouseLeft1 : mouseTop1;
        valAtPosX = posToVal(mouseXPos, xScaleKey);
        idx = cursor.idx = closestIdx(valAtPosX, data[0], i0, i1);
        xPos = valToPosX(data[0][idx], scaleX, xDim, 0);
      }
      let _ptLft = -10;
      let _ptTop = -10;
      let _ptWid = 0;
      let _ptHgt = 0;
      let _centered = true;
      let _ptFill = "";
      let _ptStroke = "";
      for (let i4 = mode == 2 ? 1 : 0; i4 < series.length; i4++) {
        let s4 = series[i4];
        let idx1 = activeIdxs[i4];
        let yVal1 = idx1 == null ? null : mode == 1 ? data[i4][idx1] : data[i4][1][idx1];
        let idx2 = cursor.dataIdx(self, i4, idx, valAtPosX);
        let yVal2 = idx2 == null ? null : mode == 1 ? data[i4][idx2] : data[i4][1][idx2];
        shouldSetLegend = shouldSetLegend || yVal2 != yVal1 || idx2 != idx1;
        activeIdxs[i4] = idx2;
        if (i4 > 0 && s4.show) {
          let xPos2 = idx2 == null ? -10 : idx2 == idx ? xPos : valToPosX(mode == 1 ? data[0][idx2] : data[i4][0][idx2], scaleX, xDim, 0);
          let yPos = yVal2 == null ? -10 : valToPosY(yVal2, mode == 1 ? scales[s4.scale] : scales[s4.facets[1].scale], yDim, 0);
          if (cursorFocus && yVal2 != null) {
            let mouseYPos = scaleX.ori == 1 ? mouseLeft1 : mouseTop1;
            let dist = abs(focus.dist(self, i4, idx2, yPos, mouseYPos));
            if (dist < closestDist) {
              let bias = focus.bias;
              if (bias != 0) {
                let mouseYVal = posToVal(mouseYPos, s4.scale);
                let seriesYValSign = yVal2 >= 0 ? 1 : -1;
                let mouseYValSign = mouseYVal >= 0 ? 1 : -1;
                if (mouseYValSign == seriesYValSign && (mouseYValSign == 1 ? bias == 1 ? yVal2 >= mouseYVal : yVal2 <= mouseYVal : (
                  // >= 0
                  bias == 1 ? yVal2 <= mouseYVal : yVal2 >= mouseYVal
                ))) {
                  closestDist = dist;
                  closestSeries = i4;
                }
              } else {
                closestDist = dist;
                closestSeries = i4;
              }
            }
          }
          if (shouldSetLegend || cursorOnePt) {
            let hPos, vPos;
            if (scaleX.ori == 0) {
              hPos = xPos2;
              vPos = yPos;
            } else {
              hPos = yPos;
              vPos = xPos2;
            }
            let ptWid, ptHgt, ptLft, ptTop, ptStroke, ptFill, centered = true, getBBox = points2.bbox;
            if (getBBox != null) {
              centered = false;
              let bbox = getBBox(self, i4);
              ptLft = bbox.left;
              ptTop = bbox.top;
              ptWid = bbox.width;
              ptHgt = bbox.height;
            } else {
              ptLft = hPos;
              ptTop = vPos;
              ptWid = ptHgt = points2.size(self, i4);
            }
            ptFill = points2.fill(self, i4);
            ptStroke = points2.stroke(self, i4);
            if (cursorOnePt) {
              if (i4 == closestSeries && closestDist <= focus.prox) {
                _ptLft = ptLft;
                _ptTop = ptTop;
                _ptWid = ptWid;
                _ptHgt = ptHgt;
                _centered = centered;
                _ptFill = ptFill;
                _ptStroke = ptStroke;
              }
            } else {
              let pt = cursorPts[i4];
              if (pt != null) {
                cursorPtsLft[i4] = ptLft;
                cursorPtsTop[i4] = ptTop;
                elSize(pt, ptWid, ptHgt, centered);
                elColor(pt, ptFill, ptStroke);
                elTrans(pt, ceil(ptLft), ceil(ptTop), plotWidCss, plotHgtCss);
              }
            }
          }
        }
      }
      if (cursorOnePt) {
        let p5 = focus.prox;
        let focusChanged = focusedSeries == null ? closestDist <= p5 : closestDist > p5 || closestSeries != focusedSeries;
        if (shouldSetLegend || focusChanged) {
          let pt = cursorPts[0];
          if (pt != null) {
            cursorPtsLft[0] = _ptLft;
            cursorPtsTop[0] = _ptTop;
            elSize(pt, _ptWid, _ptHgt, _centered);
            elColor(pt, _ptFill, _ptStroke);
            elTrans(pt, ceil(_ptLft), ceil(_ptTop), plotWidCss, plotHgtCss);
          }
        }
      }
    }
    if (select.show && dragging) {
      if (src != null) {
        let [xKey, yKey] = syncOpts.scales;
        let [matchXKeys, matchYKeys] = syncOpts.match;
        let [xKeySrc, yKeySrc] = src.cursor.sync.scales;
        let sdrag = src.cursor.drag;
        dragX = sdrag._x;
        dragY = sdrag._y;
        if (dragX || dragY) {
          let { left, top, width: width2, height: height3 } = src.select;
          let sori = src.scales[xKeySrc].ori;
          let sPosToVal = src.posToVal;
          let sOff, sDim, sc, a5, b3;
          let matchingX = xKey != null && matchXKeys(xKey, xKeySrc);
          let matchingY = yKey != null && matchYKeys(yKey, yKeySrc);
          if (matchingX && dragX) {
            if (sori == 0) {
              sOff = left;
              sDim = width2;
            } else {
              sOff = top;
              sDim = height3;
            }
            sc = scales[xKey];
            a5 = valToPosX(sPosToVal(sOff, xKeySrc), sc, xDim, 0);
            b3 = valToPosX(sPosToVal(sOff + sDim, xKeySrc), sc, xDim, 0);
            setSelX(min(a5, b3), abs(b3 - a5));
          } else
            setSelX(0, xDim);
          if (matchingY && dragY) {
            if (sori == 1) {
              sOff = left;
              sDim = width2;
            } else {
              sOff = top;
              sDim = height3;
            }
            sc = scales[yKey];
            a5 = valToPosY(sPosToVal(sOff, yKeySrc), sc, yDim, 0);
            b3 = valToPosY(sPosToVal(sOff + sDim, yKeySrc), sc, yDim, 0);
            setSelY(min(a5, b3), abs(b3 - a5));
          } else
            setSelY(0, yDim);
        } else
          hideSelect();
      } else {
        let rawDX = abs(rawMouseLeft1 - rawMouseLeft0);
        let rawDY = abs(rawMouseTop1 - rawMouseTop0);
        if (scaleX.ori == 1) {
          let _rawDX = rawDX;
          rawDX = rawDY;
          rawDY = _rawDX;
        }
        dragX = drag.x && rawDX >= drag.dist;
        dragY = drag.y && rawDY >= drag.dist;
        let uni = drag.uni;
        if (uni != null) {
          if (dragX && dragY) {
            dragX = rawDX >= uni;
            dragY = rawDY >= uni;
            if (!dragX && !dragY) {
              if (rawDY > rawDX)
                dragY = true;
              else
                dragX = true;
            }
          }
        } else if (drag.x && drag.y && (dragX || dragY))
          dragX = dragY = true;
        let p0, p1;
        if (dragX) {
          if (scaleX.ori == 0) {
            p0 = mouseLeft0;
            p1 = mouseLeft1;
          } else {
            p0 = mouseTop0;
            p1 = mouseTop1;
          }
          setSelX(min(p0, p1), abs(p1 - p0));
          if (!dragY)
            setSelY(0, yDim);
        }
        if (dragY) {
          if (scaleX.ori == 1) {
            p0 = mouseLeft0;
            p1 = mouseLeft1;
          } else {
            p0 = mouseTop0;
            p1 = mouseTop1;
          }
          setSelY(min(p0, p1), abs(p1 - p0));
          if (!dragX)
            setSelX(0, xDim);
        }
        if (!dragX && !dragY) {
          setSelX(0, 0);
          setSelY(0, 0);
        }
      }
    }
    drag._x = dragX;
    drag._y = dragY;
    if (src == null) {
      if (_pub) {
        if (syncKey != null) {
          let [xSyncKey, ySyncKey] = syncOpts.scales;
          syncOpts.values[0] = xSyncKey != null ? posToVal(scaleX.ori == 0 ? mouseLeft1 : mouseTop1, xSyncKey) : null;
          syncOpts.values[1] = ySyncKey != null ? posToVal(scaleX.ori == 1 ? mouseLeft1 : mouseTop1, ySyncKey) : null;
        }
        pubSync(mousemove, self, mouseLeft1, mouseTop1, plotWidCss, plotHgtCss, idx);
      }
      if (cursorFocus) {
        let shouldPub = _pub && syncOpts.setSeries;
        let p5 = focus.prox;
        if (focusedSeries == null) {
          if (closestDist <= p5)
            setSeries(closestSeries, FOCUS_TRUE, true, shouldPub);
        } else {
          if (closestDist > p5)
            setSeries(null, FOCUS_TRUE, true, shouldPub);
          else if (closestSeries != focusedSeries)
            setSeries(closestSeries, FOCUS_TRUE, true, shouldPub);
        }
      }
    }
    if (shouldSetLegend) {
      legend.idx = idx;
      setLegend();
    }
    _fire !== false && fire("setCursor");
  }
  let rect2 = null;
  Object.defineProperty(self, "rect", {
    get() {
      if (rect2 == null)
        syncRect(false);
      return rect2;
    }
  });
  function syncRect(defer = false) {
    if (defer)
      rect2 = null;
    else {
      rect2 = over.getBoundingClientRect();
      fire("syncRect", rect2);
    }
  }
  function mouseMove(e4, src, _l, _t, _w, _h, _i) {
    if (cursor._lock)
      return;
    if (dragging && e4 != null && e4.movementX == 0 && e4.movementY == 0)
      return;
    cacheMouse(e4, src, _l, _t, _w, _h, _i, false, e4 != null);
    if (e4 != null)
      updateCursor(null, true, true);
    else
      updateCursor(src, true, false);
  }
  function cacheMouse(e4, src, _l, _t, _w, _h, _i, initial, snap) {
    if (rect2 == null)
      syncRect(false);
    setCursorEvent(e4);
    if (e4 != null) {
      _l = e4.clientX - rect2.left;
      _t = e4.clientY - rect2.top;
    } else {
      if (_l < 0 || _t < 0) {
        mouseLeft1 = -10;
        mouseTop1 = -10;
        return;
      }
      let [xKey, yKey] = syncOpts.scales;
      let syncOptsSrc = src.cursor.sync;
      let [xValSrc, yValSrc] = syncOptsSrc.values;
      let [xKeySrc, yKeySrc] = syncOptsSrc.scales;
      let [matchXKeys, matchYKeys] = syncOpts.match;
      let rotSrc = src.axes[0].side % 2 == 1;
      let xDim = scaleX.ori == 0 ? plotWidCss : plotHgtCss, yDim = scaleX.ori == 1 ? plotWidCss : plotHgtCss, _xDim = rotSrc ? _h : _w, _yDim = rotSrc ? _w : _h, _xPos = rotSrc ? _t : _l, _yPos = rotSrc ? _l : _t;
      if (xKeySrc != null)
        _l = matchXKeys(xKey, xKeySrc) ? getPos(xValSrc, scales[xKey], xDim, 0) : -10;
      else
        _l = xDim * (_xPos / _xDim);
      if (yKeySrc != null)
        _t = matchYKeys(yKey, yKeySrc) ? getPos(yValSrc, scales[yKey], yDim, 0) : -10;
      else
        _t = yDim * (_yPos / _yDim);
      if (scaleX.ori == 1) {
        let __l = _l;
        _l = _t;
        _t = __l;
      }
    }
    if (snap && (src == null || src.cursor.event.type == mousemove)) {
      if (_l <= 1 || _l >= plotWidCss - 1)
        _l = incrRound(_l, plotWidCss);
      if (_t <= 1 || _t >= plotHgtCss - 1)
        _t = incrRound(_t, plotHgtCss);
    }
    if (initial) {
      rawMouseLeft0 = _l;
      rawMouseTop0 = _t;
      [mouseLeft0, mouseTop0] = cursor.move(self, _l, _t);
    } else {
      mouseLeft1 = _l;
      mouseTop1 = _t;
    }
  }
  const _hideProps = {
    width: 0,
    height: 0,
    left: 0,
    top: 0
  };
  function hideSelect() {
    setSelect(_hideProps, false);
  }
  let downSelectLeft;
  let downSelectTop;
  let downSelectWidth;
  let downSelectHeight;
  function mouseDown(e4, src, _l, _t, _w, _h, _i) {
    dragging = true;
    dragX = dragY = drag._x = drag._y = false;
    cacheMouse(e4, src, _l, _t, _w, _h, _i, true, false);
    if (e4 != null) {
      onMouse(mouseup, doc, mouseUp, false);
      pubSync(mousedown, self, mouseLeft0, mouseTop0, plotWidCss, plotHgtCss, null);
    }
    let { left, top, width: width2, height: height3 } = select;
    downSelectLeft = left;
    downSelectTop = top;
    downSelectWidth = width2;
    downSelectHeight = height3;
  }
  function mouseUp(e4, src, _l, _t, _w, _h, _i) {
    dragging = drag._x = drag._y = false;
    cacheMouse(e4, src, _l, _t, _w, _h, _i, false, true);
    let { left, top, width: width2, height: height3 } = select;
    let hasSelect = width2 > 0 || height3 > 0;
    let chgSelect = downSelectLeft != left || downSelectTop != top || downSelectWidth != width2 || downSelectHeight != height3;
    hasSelect && chgSelect && setSelect(select);
    if (drag.setScale && hasSelect && chgSelect) {
      let xOff = left, xDim = width2, yOff = top, yDim = height3;
      if (scaleX.ori == 1) {
        xOff = top, xDim = height3, yOff = left, yDim = width2;
      }
      if (dragX) {
        _setScale(
          xScaleKey,
          posToVal(xOff, xScaleKey),
          posToVal(xOff + xDim, xScaleKey)
        );
      }
      if (dragY) {
        for (let k5 in scales) {
          let sc = scales[k5];
          if (k5 != xScaleKey && sc.from == null && sc.min != inf) {
            _setScale(
              k5,
              posToVal(yOff + yDim, k5),
              posToVal(yOff, k5)
            );
          }
        }
      }
      hideSelect();
    } else if (cursor.lock) {
      cursor._lock = !cursor._lock;
      updateCursor(src, true, e4 != null);
    }
    if (e4 != null) {
      offMouse(mouseup, doc);
      pubSync(mouseup, self, mouseLeft1, mouseTop1, plotWidCss, plotHgtCss, null);
    }
  }
  function mouseLeave(e4, src, _l, _t, _w, _h, _i) {
    if (cursor._lock)
      return;
    setCursorEvent(e4);
    let _dragging = dragging;
    if (dragging) {
      let snapH = true;
      let snapV = true;
      let snapProx = 10;
      let dragH, dragV;
      if (scaleX.ori == 0) {
        dragH = dragX;
        dragV = dragY;
      } else {
        dragH = dragY;
        dragV = dragX;
      }
      if (dragH && dragV) {
        snapH = mouseLeft1 <= snapProx || mouseLeft1 >= plotWidCss - snapProx;
        snapV = mouseTop1 <= snapProx || mouseTop1 >= plotHgtCss - snapProx;
      }
      if (dragH && snapH)
        mouseLeft1 = mouseLeft1 < mouseLeft0 ? 0 : plotWidCss;
      if (dragV && snapV)
        mouseTop1 = mouseTop1 < mouseTop0 ? 0 : plotHgtCss;
      updateCursor(null, true, true);
      dragging = false;
    }
    mouseLeft1 = -10;
    mouseTop1 = -10;
    activeIdxs.fill(null);
    updateCursor(null, true, true);
    if (_dragging)
      dragging = _dragging;
  }
  function dblClick(e4, src, _l, _t, _w, _h, _i) {
    if (cursor._lock)
      return;
    setCursorEvent(e4);
    autoScaleX();
    hideSelect();
    if (e4 != null)
      pubSync(dblclick, self, mouseLeft1, mouseTop1, plotWidCss, plotHgtCss, null);
  }
  function syncPxRatio() {
    axes.forEach(syncFontSize);
    _setSize(self.width, self.height, true);
  }
  on(dppxchange, win, syncPxRatio);
  const events = {};
  events.mousedown = mouseDown;
  events.mousemove = mouseMove;
  events.mouseup = mouseUp;
  events.dblclick = dblClick;
  events["setSeries"] = (e4, src, idx, opts2) => {
    let seriesIdxMatcher2 = syncOpts.match[2];
    idx = seriesIdxMatcher2(self, src, idx);
    idx != -1 && setSeries(idx, opts2, true, false);
  };
  if (showCursor) {
    onMouse(mousedown, over, mouseDown);
    onMouse(mousemove, over, mouseMove);
    onMouse(mouseenter, over, (e4) => {
      setCursorEvent(e4);
      syncRect(false);
    });
    onMouse(mouseleave, over, mouseLeave);
    onMouse(dblclick, over, dblClick);
    cursorPlots.add(self);
    self.syncRect = syncRect;
  }
  const hooks = self.hooks = opts.hooks || {};
  function fire(evName, a1, a22) {
    if (deferHooks)
      hooksQueue.push([evName, a1, a22]);
    else {
      if (evName in hooks) {
        hooks[evName].forEach((fn) => {
          fn.call(null, self, a1, a22);
        });
      }
    }
  }
  (opts.plugins || []).forEach((p5) => {
    for (let evName in p5.hooks)
      hooks[evName] = (hooks[evName] || []).concat(p5.hooks[evName]);
  });
  const seriesIdxMatcher = (self2, src, srcSeriesIdx) => srcSeriesIdx;
  const syncOpts = assign({
    key: null,
    setSeries: false,
    filters: {
      pub: retTrue,
      sub: retTrue
    },
    scales: [xScaleKey, series[1] ? series[1].scale : null],
    match: [retEq, retEq, seriesIdxMatcher],
    values: [null, null]
  }, cursor.sync);
  if (syncOpts.match.length == 2)
    syncOpts.match.push(seriesIdxMatcher);
  cursor.sync = syncOpts;
  const syncKey = syncOpts.key;
  const sync = _sync(syncKey);
  function pubSync(type, src, x4, y5, w5, h4, i4) {
    if (syncOpts.filters.pub(type, src, x4, y5, w5, h4, i4))
      sync.pub(type, src, x4, y5, w5, h4, i4);
  }
  sync.sub(self);
  function pub(type, src, x4, y5, w5, h4, i4) {
    if (syncOpts.filters.sub(type, src, x4, y5, w5, h4, i4))
      events[type](null, src, x4, y5, w5, h4, i4);
  }
  self.pub = pub;
  function destroy() {
    sync.unsub(self);
    cursorPlots.delete(self);
    mouseListeners.clear();
    off(dppxchange, win, syncPxRatio);
    root.remove();
    legendTable?.remove();
    fire("destroy");
  }
  self.destroy = destroy;
  function _init() {
    fire("init", opts, data);
    setData(data || opts.data, false);
    if (pendScales[xScaleKey])
      setScale(xScaleKey, pendScales[xScaleKey]);
    else
      autoScaleX();
    shouldSetSelect = select.show && (select.width > 0 || select.height > 0);
    shouldSetCursor = shouldSetLegend = true;
    _setSize(opts.width, opts.height);
  }
  series.forEach(initSeries);
  axes.forEach(initAxis);
  if (then) {
    if (then instanceof HTMLElement) {
      then.appendChild(root);
      _init();
    } else
      then(self, _init);
  } else
    _init();
  return self;
}
uPlot.assign = assign;
uPlot.fmtNum = fmtNum;
uPlot.rangeNum = rangeNum;
uPlot.rangeLog = rangeLog;
uPlot.rangeAsinh = rangeAsinh;
uPlot.orient = orient;
uPlot.pxRatio = pxRatio;
{
  uPlot.join = join;
}
{
  uPlot.fmtDate = fmtDate;
  uPlot.tzDate = tzDate;
}
uPlot.sync = _sync;
{
  uPlot.addGap = addGap;
  uPlot.clipGaps = clipGaps;
  let paths = uPlot.paths = {
    points
  };
  paths.linear = linear;
  paths.stepped = stepped;
  paths.bars = bars;
  paths.spline = monotoneCubic;
}

// app/dark.ts
var asked2 = matchMedia("(prefers-color-scheme: dark)");
var dark = a3(asked2.matches);
asked2.addEventListener("change", () => dark.value = asked2.matches);
var useDark = () => dark.value;

// app/chart.tsx
var pointed = a3(void 0);
var height = 150;
var increments = [1, 2, 5].flatMap((n3) => Array.from({ length: 12 }, (_6, i4) => n3 * 10 ** i4)).sort((a5, b3) => a5 - b3);
function Chart({ label, t: t4, step, columns, marks }) {
  const box = T2(null);
  const legend = T2(null);
  const chart = T2(void 0);
  const shown4 = T2({ t: t4, step, marks });
  shown4.current = { t: t4, step, marks };
  const zone = shownZone();
  const kinds2 = columns.map((c4) => c4.colour).join();
  A2(() => {
    const colours = [...legend.current.querySelectorAll(".swatch")].map((s4) => getComputedStyle(s4).color);
    const at3 = box.current;
    const u4 = new uPlot(options(at3, colours.reverse(), zone, () => shown4.current), stacked(t4, columns), at3);
    chart.current = u4;
    const size2 = new ResizeObserver(() => u4.setSize({ width: at3.clientWidth, height }));
    size2.observe(at3);
    return () => {
      size2.disconnect();
      u4.destroy();
      chart.current = void 0;
    };
  }, [kinds2, zone, theme.now.value, useDark(), lang.now.value]);
  A2(() => chart.current?.setData(stacked(t4, columns)), [t4, columns]);
  const at2 = pointed.value;
  return /* @__PURE__ */ a4("div", { class: "chart", children: [
    /* @__PURE__ */ a4("div", { ref: box, role: "img", "aria-label": label }),
    /* @__PURE__ */ a4("ul", { ref: legend, class: "legend", children: columns.map((c4) => /* @__PURE__ */ a4("li", { children: [
      /* @__PURE__ */ a4("span", { class: `swatch ${c4.colour}`, "aria-hidden": "true" }),
      " ",
      c4.name,
      " ",
      /* @__PURE__ */ a4("b", { children: count(at2 === void 0 ? sum2(c4.values) : c4.values[at2] ?? 0) })
    ] }, c4.name)) })
  ] });
}
var sum2 = (values) => values.reduce((a5, b3) => a5 + b3, 0);
function stacked(t4, columns) {
  const sums = t4.map(() => 0);
  const all3 = columns.map((c4) => t4.map((_6, i4) => sums[i4] += c4.values[i4] ?? 0));
  return [t4, ...all3.reverse()];
}
function options(box, colours, zone, shown4) {
  const { color } = getComputedStyle(box);
  const line = getComputedStyle(box).borderTopColor;
  const font2 = `12px ${getComputedStyle(box).fontFamily}`;
  const axis = { stroke: color, font: font2, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const clock3 = (at2) => {
    const l4 = localOf(at2 * 1e3, zone);
    return shown4().step >= 3600 ? `${l4.date.slice(5)} ${l4.time.slice(0, 5)}` : l4.time.slice(0, shown4().step === 1 ? 8 : 5);
  };
  return {
    width: box.clientWidth,
    height,
    tzDate: (ts) => uPlot.tzDate(new Date(ts * 1e3), zone),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "throughput" }, points: { show: false } },
    scales: {
      x: { range: () => [shown4().t[0] ?? 0, (shown4().t.at(-1) ?? 0) + shown4().step] },
      y: { range: (_u, _min, max2) => [0, Math.max(max2 * 1.1, 4)] }
    },
    axes: [
      { ...axis, size: 30, space: 72, values: (_u, splits) => splits.map(clock3) },
      { ...axis, size: 56, incrs: increments, values: (_u, splits) => splits.map(count) }
    ],
    series: [
      {},
      ...colours.map((c4) => ({ fill: c4, stroke: c4, width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.8, 40], align: 1 }) }))
    ],
    hooks: {
      draw: [(u4) => drawMarks(u4, shown4().marks, color)],
      setCursor: [(u4) => pointed.value = u4.cursor.idx ?? void 0]
    }
  };
}
function drawMarks(u4, marks, colour) {
  const { ctx, bbox } = u4;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  for (const mark2 of marks) {
    const x4 = Math.round(u4.valToPos(mark2.t, "x", true));
    if (x4 < bbox.left || x4 > bbox.left + bbox.width) continue;
    ctx.setLineDash(mark2.kind === "leader" ? [] : [4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x4, bbox.top);
    ctx.lineTo(x4, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

// app/throughput.tsx
var steps2 = { "1s": 1, "1m": 60, "1h": 3600 };
var order = [
  "ok",
  "error",
  "failure",
  "timeout",
  "cancelled",
  "skipped",
  "overlap",
  "concurrency",
  "missed",
  "paused",
  "manual",
  "calendar",
  "past",
  "abandoned"
];
var rank = (word) => order.includes(word) ? order.indexOf(word) : order.length;
function Throughput() {
  const m5 = say.value;
  const step = Object.keys(steps2).find((s4) => s4 === param("step")) ?? "1m";
  const [resultsOf] = useResource(restPath(["stats", "series"], { of: "results", step, lang: lang.now.value }), true);
  const [skipsOf] = useResource(restPath(["stats", "series"], { of: "skips", step, lang: lang.now.value }), true);
  const busy = resultsOf.value.busy || skipsOf.value.busy;
  const points2 = resultsOf.value.data, skips = skipsOf.value.data;
  const t4 = points2?.t ?? [];
  const states2 = columnsOf(points2, t4, (word) => word, (word) => wordOf(word));
  const reasons2 = columnsOf(skips, t4, (word) => `reason-${word}`, visible);
  const marks = points2?.marks ?? [];
  return /* @__PURE__ */ a4("section", { class: "part", "aria-busy": busy ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.overview.throughput }),
    /* @__PURE__ */ a4(Filters, { label: m5.overview.throughput, children: /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.overview.span }),
      /* @__PURE__ */ a4("select", { name: "step", class: "span", value: step === "1m" ? "" : step, children: ["1s", "1m", "1h"].map((s4) => /* @__PURE__ */ a4("option", { value: s4 === "1m" ? "" : s4, selected: s4 === step, children: m5.overview.spans[s4] }, s4)) })
    ] }) }),
    points2 && skips && /* @__PURE__ */ a4("div", { class: "pictured", children: [
      /* @__PURE__ */ a4("div", { children: [
        /* @__PURE__ */ a4(Picture, { name: m5.overview.resultsByState, t: t4, step: steps2[step], columns: states2, marks }),
        /* @__PURE__ */ a4(Picture, { name: m5.overview.skipsByReason, t: t4, step: steps2[step], columns: reasons2, marks }),
        /* @__PURE__ */ a4(Marks, { of: marks })
      ] }),
      /* @__PURE__ */ a4(Numbers, { t: t4, step, columns: [...states2, ...reasons2.map((c4) => ({ ...c4, name: m5.overview.skippedBy(c4.name) }))] })
    ] })
  ] });
}
function columnsOf(of, t4, colour, name) {
  const series = of?.series ?? {};
  const at2 = new Map((of?.t ?? []).map((time, i4) => [time, i4]));
  return Object.keys(series).sort((a5, b3) => rank(a5) - rank(b3)).map((word) => ({
    name: name(word),
    colour: colour(word),
    values: t4.map((time) => series[word][at2.get(time) ?? -1] ?? 0)
  }));
}
function Picture({ name, t: t4, step, columns, marks }) {
  const instant3 = (at2) => at2 === void 0 ? "" : iso(at2);
  const totals = columns.map((c4) => `${c4.name} ${count(sum2(c4.values))}`).join(", ");
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("h3", { children: name }),
    /* @__PURE__ */ a4(Chart, { label: say.value.overview.chart(name, instant3(t4[0]), instant3(t4.at(-1)), totals), t: t4, step, columns, marks })
  ] });
}
var iso = (seconds) => new Date(seconds * 1e3).toISOString().replace(".000Z", "Z");
function Marks({ of }) {
  if (of.length === 0) return null;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("h3", { children: say.value.overview.marks }),
    /* @__PURE__ */ a4("ul", { class: "marks", children: [...of].reverse().slice(0, 20).map((mark2) => /* @__PURE__ */ a4("li", { class: mark2.kind, children: [
      /* @__PURE__ */ a4(When, { at: iso(mark2.t), bare: true }),
      " ",
      visible(mark2.text)
    ] }, `${mark2.t} ${mark2.text}`)) })
  ] });
}
function Numbers({ t: t4, step, columns }) {
  const m5 = say.value;
  const rows = t4.map((at2, i4) => ({ at: at2, i: i4 })).filter(({ i: i4 }) => columns.some((c4) => c4.values[i4] > 0)).reverse();
  return /* @__PURE__ */ a4("div", { children: /* @__PURE__ */ a4(
    Table,
    {
      name: m5.overview.throughput,
      columns: [m5.columns.time, ...columns.map((c4) => c4.name)],
      figures: 2,
      empty: rows.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.overview.nothingHappened }),
      children: rows.map(({ at: at2, i: i4 }) => /* @__PURE__ */ a4("tr", { children: [
        /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Clock3, { at: at2, step }) }),
        columns.map((c4) => /* @__PURE__ */ a4("td", { class: "number", children: count(c4.values[i4]) }, c4.name))
      ] }, at2))
    }
  ) });
}
function Clock3({ at: at2, step }) {
  const l4 = localOf(at2 * 1e3, shownZone());
  return /* @__PURE__ */ a4("time", { dateTime: iso(at2), children: [
    step === "1h" && `${l4.date} `,
    step === "1s" ? l4.time : l4.time.slice(0, 5),
    " ",
    /* @__PURE__ */ a4("span", { class: "offset", children: l4.offset })
  ] });
}

// app/overview.tsx
function Overview() {
  const m5 = say.value;
  const [resource] = useResource(restPath(["overview"], { lang: lang.now.value }), true);
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.overview, busy, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    data && /* @__PURE__ */ a4($, { children: [
      data.plans.total === 0 && /* @__PURE__ */ a4(NoPlans, {}),
      /* @__PURE__ */ a4(Numbers2, { of: data }),
      /* @__PURE__ */ a4("div", { class: "halves", children: [
        /* @__PURE__ */ a4(TroubleList, { of: data.trouble }),
        /* @__PURE__ */ a4(NextDue, { of: data.next_due })
      ] }),
      /* @__PURE__ */ a4(Throughput, {}),
      /* @__PURE__ */ a4(Lateness, { of: data.lateness["1h"] }),
      /* @__PURE__ */ a4("section", { class: "part", children: [
        /* @__PURE__ */ a4("h2", { children: m5.overview.partitions }),
        /* @__PURE__ */ a4(Partitions, { of: data.partitions })
      ] })
    ] })
  ] });
}
function Numbers2({ of }) {
  const m5 = say.value;
  const hour = of.results["1h"] ?? { states: {}, reasons: {} };
  const from = new Date(Math.floor(Date.parse(of.as_of) / 6e4) * 6e4 - 36e5).toISOString().replace(".000Z", "Z");
  const plans = (query2) => pageOf(["plans"], query2);
  const runs = (query2) => has("runs") ? pageOf(["runs"], { ...query2, from }) : void 0;
  return /* @__PURE__ */ a4("div", { class: "tiles", children: [
    /* @__PURE__ */ a4(Counts, { title: m5.pages.plans, total: /* @__PURE__ */ a4("a", { href: plans({}), children: count(of.plans.total) }), of: countsOf(of.plans.by_status, (status) => plans({ status })), show: (s4) => /* @__PURE__ */ a4(State, { of: s4 }) }),
    /* @__PURE__ */ a4(
      Counts,
      {
        title: m5.overview.underWay,
        total: /* @__PURE__ */ a4("a", { href: plans({ status: "executing" }), children: count(of.executions.under_way) }),
        of: countsOf(of.executions.waiting, (waits2) => plans({ waits: waits2 })),
        show: (w5) => m5.waitsFor(visible(w5))
      }
    ),
    /* @__PURE__ */ a4(Counts, { title: m5.overview.lastHour, of: countsOf(hour.states, (state) => runs({ state })), show: (s4) => /* @__PURE__ */ a4(State, { of: s4 }) }),
    /* @__PURE__ */ a4(Counts, { title: m5.overview.skippedLastHour, of: countsOf(hour.reasons, (reason) => runs({ reason })), show: visible })
  ] });
}
function placeOf({ kind, station: station3, plan_id }) {
  if (station3 && plan_id) return planPage(station3, plan_id);
  return pageOf(["plans"], { station: station3, waits: kind === "no_worker" ? "worker" : void 0, order: kind === "overdue" ? "due" : void 0 });
}
function TroubleList({ of }) {
  const m5 = say.value;
  const [all3, fresh] = useCalm(of, (t4) => `${t4.kind} ${t4.station} ${t4.plan_id}`, m5.overview.trouble);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: [
      m5.overview.trouble,
      " ",
      fresh
    ] }),
    /* @__PURE__ */ a4(Table, { name: m5.overview.trouble, columns: m5.columns.trouble, empty: all3.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.overview.noTrouble }), children: all3.map((t4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: [
        /* @__PURE__ */ a4("a", { href: placeOf(t4), children: m5.overview.kinds[t4.kind] ?? visible(t4.kind) }),
        /* @__PURE__ */ a4("div", { class: "about", children: visible(t4.text) })
      ] }),
      /* @__PURE__ */ a4("td", { children: t4.station && t4.plan_id ? /* @__PURE__ */ a4(PlanLink, { station: t4.station, id: t4.plan_id }) : visible(t4.station ?? "") }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: t4.since }) })
    ] }, `${t4.kind} ${t4.station} ${t4.plan_id}`)) })
  ] });
}
function NextDue({ of }) {
  const m5 = say.value;
  const [all3, fresh] = useCalm(of, (d5) => `${d5.station}/${d5.plan_id}`, m5.overview.nextDue);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: [
      m5.overview.nextDue,
      " ",
      fresh
    ] }),
    /* @__PURE__ */ a4(Table, { name: m5.overview.nextDue, columns: m5.columns.due, empty: all3.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.overview.nothingDue }), children: all3.map((d5) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(PlanLink, { station: d5.station, id: d5.plan_id, known: d5.known_as }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: d5.plan_time }) })
    ] }, `${d5.station}/${d5.plan_id}`)) })
  ] });
}

// app/queue-verbs.tsx
var verbs2 = ["push", "retry", "complete", "release", "delete"];
function takes2(verb, q3, locked, unmerged) {
  if (verb === "push") return true;
  if (!q3) return false;
  if (verb === "delete") return true;
  if (unmerged) return false;
  if (verb !== "retry") return locked;
  return q3.station !== "queue.hold" || q3.status === "pending" || q3.status === "plan_error";
}
function useLock(q3) {
  const asked3 = q3?.station === "queue" && !!q3.locked;
  const [plan] = useResource(asked3 ? restPath(["plans", q3.station, q3.plan_id]) : void 0, true);
  if (!q3?.locked) return false;
  if (!asked3) return true;
  const open3 = (plan.value.data?.state.open ?? []).flatMap((o5) => o5.executions ?? []);
  return open3.some((e4) => e4.state === "running" && !e4.worker_id);
}
function QueueActions({ name, queue, unmerged, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2();
  const locked = useLock(queue);
  if (!session.operates.value) return null;
  const there = verbs2.filter((v5) => takes2(v5, queue, locked, unmerged));
  const retry = async () => {
    await request("POST", restPath(["queues", name, "retry"]));
    announce(m5.queues.retried(visible(name)));
  };
  const begin = (verb) => verb === "retry" ? void retry().then(after, (e4) => announce(problemText(e4))) : ask2(verb);
  const close = () => ask2(void 0);
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    there.map((v5) => /* @__PURE__ */ a4("button", { type: "button", class: v5 === "delete" ? "danger" : void 0, onClick: () => begin(v5), children: m5.queues[v5] }, v5)),
    asking2 === "push" && /* @__PURE__ */ a4(PushDialog, { name, anew: !queue || unmerged, close, after }),
    (asking2 === "complete" || asking2 === "release") && /* @__PURE__ */ a4(LockDialog, { name, verb: asking2, close, after }),
    asking2 === "delete" && /* @__PURE__ */ a4(DeleteDialog2, { name, close, after })
  ] });
}
function NewPush({ after }) {
  const [asking2, ask2] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "primary", onClick: () => ask2(true), children: say.value.queues.pushTo }),
    asking2 && /* @__PURE__ */ a4(PushDialog, { anew: true, close: () => ask2(false), after })
  ] });
}
function fieldsOfPush(named3, anew) {
  const m5 = say.value.queues;
  return [
    ...named3 ? [] : [{ name: "key", kind: "text", label: m5.key, required: true }],
    { name: "task", kind: "json", label: m5.task, required: true, hint: m5.taskHint },
    { name: "ontime", kind: "time", label: m5.ontime, hint: m5.ontimeHint },
    { name: "update", kind: "choice", values: ["once", "always"], label: m5.update, hint: m5.updateHint },
    { name: "data", kind: "json", label: m5.data, hint: m5.dataHint },
    ...anew ? fieldsOfTarget() : []
  ];
}
function fieldsOfTarget() {
  const m5 = say.value.queues;
  return [
    { name: "method", kind: "choice", values: ["POST", "PUT", "PATCH", "GET", "DELETE", "HEAD"], label: m5.method },
    { name: "service", kind: "text", label: m5.service, hint: m5.serviceHint },
    { name: "station", kind: "text", label: m5.station, hint: m5.stationHint },
    { name: "abandon_after", kind: "number", label: m5.abandon, hint: m5.abandonHint }
  ];
}
function PushDialog({ name, anew, close, after }) {
  const m5 = say.value;
  const fields3 = fieldsOfPush(name !== void 0, anew);
  const act = async (form) => {
    const { key = name, ...push } = typedIn(form, fields3);
    const { value } = await request("POST", restPath(["queues", String(key), "push"]), push);
    announce(m5.queues.pushed(visible(value.key), count(value.length)));
    if (name === void 0) open(pageOf(["queues", value.key]));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: name === void 0 ? m5.queues.pushTo : `${m5.queues.push} ${visible(name)}`, verb: m5.queues.push, act, close, children: /* @__PURE__ */ a4(Inputs, { of: fields3 }) });
}
function LockDialog({ name, verb, close, after }) {
  const m5 = say.value.queues;
  const fields3 = [
    { name: "random", kind: "text", label: m5.random, required: true, hint: m5.randomHint },
    verb === "complete" ? { name: "number", kind: "number", label: m5.number, hint: m5.numberHint } : { name: "ontime", kind: "time", label: m5.again, hint: m5.againHint }
  ];
  const act = async (form) => {
    const { value } = await request("POST", restPath(["queues", name, verb]), typedIn(form, fields3));
    announce(verb === "complete" ? m5.completed(visible(name), count(value.length)) : m5.released(visible(name)));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5[verb]} ${visible(name)}`, verb: m5[verb], act, close, children: [
    /* @__PURE__ */ a4("p", { children: verb === "complete" ? m5.completeAbout : m5.releaseAbout }),
    /* @__PURE__ */ a4(Inputs, { of: fields3 })
  ] });
}
function DeleteDialog2({ name, close, after }) {
  const m5 = say.value.queues;
  const change2 = { method: "DELETE", path: ["queues", name] };
  const act = async () => {
    const { value } = await request(change2.method, restPath(change2.path));
    announce(m5.deleted(visible(name), count(value.deleted)));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(name)}`, verb: m5.delete, act, close, danger: true, children: /* @__PURE__ */ a4(Foretold, { of: change2, children: (dry) => /* @__PURE__ */ a4("p", { children: m5.deletes(count(dry.deleted)) }) }) });
}

// app/queues.tsx
var instant = (seconds) => seconds ? new Date(seconds * 1e3).toISOString() : void 0;
function Queues() {
  const m5 = say.value;
  const query2 = { text: param("text"), station: param("station"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource(restPath(["queues"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.queues ?? [], keyOf2, m5.pages.queues);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.queues, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewPush, { after: again }), children: [
    /* @__PURE__ */ a4(Filters, { label: m5.queues.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(QueueTable, { of: list, busy, empty: !refused && /* @__PURE__ */ a4(NoQueues, {}) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
var keyOf2 = (q3) => `${q3.station}/${q3.plan_id}`;
function QueueTable({ of, busy, empty, plans }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.pages.queues, columns: m5.queues.columns, kind: "queues", busy, empty: of.length === 0 && empty, children: of.map((q3) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: [
      plans || !q3.key ? /* @__PURE__ */ a4(PlanLink, { station: q3.station, id: q3.plan_id }) : /* @__PURE__ */ a4("a", { href: pageOf(["queues", q3.key]), children: visible(q3.key) }),
      !plans && /* @__PURE__ */ a4("div", { class: "about", children: /* @__PURE__ */ a4(Target2, { of: q3 }) })
    ] }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(State, { of: q3.status }) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(q3.length) }),
    /* @__PURE__ */ a4("td", { class: "number", children: size(q3.bytes) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(q3.locked ?? 0) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: instant(q3.ontime) }) }),
    /* @__PURE__ */ a4("td", { children: q3.last_error && /* @__PURE__ */ a4($, { children: [
      visible(q3.last_error),
      " ",
      /* @__PURE__ */ a4("div", { class: "about", children: /* @__PURE__ */ a4(When, { at: instant(q3.error_time) }) })
    ] }) })
  ] }, keyOf2(q3))) });
}
function Target2({ of: q3 }) {
  if (q3.service) return /* @__PURE__ */ a4($, { children: [
    q3.method,
    " ",
    visible(q3.service)
  ] });
  if (q3.station === "queue.hold") return /* @__PURE__ */ a4($, { children: say.value.queues.nowhere });
  return /* @__PURE__ */ a4("a", { href: pageOf(["stations", q3.station]), children: visible(q3.station) });
}
function NoQueues() {
  const m5 = say.value;
  if (param("text") || param("station")) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: [
      m5.queues.noneFits,
      " ",
      /* @__PURE__ */ a4("a", { href: withQuery({ text: void 0, station: void 0, cursor: void 0, before: void 0 }), children: m5.withoutFilters })
    ] }) });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.queues.none }),
    /* @__PURE__ */ a4(Command, { children: `stationmaster queue push chores '{"sweep":"hall"}'` }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster queue peek chores" })
  ] });
}

// app/queue.tsx
var shown3 = 10;
function Queue({ name }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["queues", name]), true);
  const { data, refused, busy } = resource.value;
  const [items, look2] = useResource(restPath(["queues", name, "tasks"], { number: String(shown3) }), true);
  const after = () => (again(), look2());
  return /* @__PURE__ */ a4(Page, { title: visible(name), busy, aside: data && /* @__PURE__ */ a4(State, { of: data.status }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["queues"]), children: m5.pages.queues }) }),
    (data || refused?.status === 404) && /* @__PURE__ */ a4(QueueActions, { name, queue: data, after }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { children: m5.queues.holdsNothing }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    data && /* @__PURE__ */ a4(Facts3, { of: data }),
    data && /* @__PURE__ */ a4(Items, { of: items.value.data, busy: items.value.busy, locked: data.locked ?? 0 })
  ] });
}
function Facts3({ of: q3 }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    /* @__PURE__ */ a4(Fact, { name: m5.queues.to, wide: true, children: /* @__PURE__ */ a4(Target2, { of: q3 }) }),
    /* @__PURE__ */ a4(Fact, { name: m5.queues.length, children: count(q3.length) }),
    /* @__PURE__ */ a4(Fact, { name: m5.queues.bytes, children: size(q3.bytes) }),
    /* @__PURE__ */ a4(Fact, { name: m5.queues.locked, children: count(q3.locked ?? 0) }),
    q3.ontime && /* @__PURE__ */ a4(Fact, { name: q3.locked && q3.status === "executing" ? m5.queues.lockEnds : m5.queues.due, children: /* @__PURE__ */ a4(When, { at: instant(q3.ontime) }) }),
    q3.notified && /* @__PURE__ */ a4(Fact, { name: m5.queues.notified, children: count(q3.notified) }),
    /* @__PURE__ */ a4(Fact, { name: m5.queues.last, children: [
      !q3.last_time && m5.queues.notYet,
      q3.last_state && /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4(State, { of: q3.last_state }),
        " "
      ] }),
      q3.last_time && /* @__PURE__ */ a4($, { children: [
        /* @__PURE__ */ a4(When, { at: instant(q3.last_time) }),
        " ",
        /* @__PURE__ */ a4("a", { href: planPage(q3.station, q3.plan_id), children: m5.queues.itsRuns })
      ] })
    ] }),
    /* @__PURE__ */ a4(Fact, { name: m5.queues.plan, children: /* @__PURE__ */ a4(PlanLink, { station: q3.station, id: q3.plan_id }) }),
    q3.errors && /* @__PURE__ */ a4(Fact, { name: m5.queues.errors, children: count(q3.errors) }),
    q3.last_error && /* @__PURE__ */ a4(Fact, { name: m5.queues.lastError, wide: true, children: [
      /* @__PURE__ */ a4(Value, { of: q3.last_error }),
      /* @__PURE__ */ a4("div", { class: "about", children: /* @__PURE__ */ a4(When, { at: instant(q3.error_time) }) })
    ] })
  ] });
}
function Items({ of, busy, locked }) {
  const m5 = say.value;
  const tasks = of?.tasks ?? [];
  const behind2 = (of?.length ?? 0) - tasks.length;
  return /* @__PURE__ */ a4("section", { class: "part", "aria-label": m5.queues.first, "aria-busy": busy && !of ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.queues.first }),
    of && tasks.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.queues.unread }),
    /* @__PURE__ */ a4("ol", { class: "items", children: tasks.map((task, i4) => /* @__PURE__ */ a4("li", { children: [
      i4 < locked && /* @__PURE__ */ a4("span", { class: "label", children: m5.queues.locked }),
      /* @__PURE__ */ a4(Value, { of: task })
    ] }, i4)) }),
    behind2 > 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.queues.more(count(behind2)) }),
    of && Object.keys(of.data).length > 0 && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("h3", { children: m5.queues.data }),
      /* @__PURE__ */ a4(Value, { of: of.data })
    ] })
  ] });
}
function Unmerged({ name }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["queues"], { text: name, limit: "1000" }), true);
  const { data, refused, busy } = resource.value;
  const all3 = (data?.queues ?? []).filter((q3) => q3.key === name);
  return /* @__PURE__ */ a4(Page, { title: visible(name), busy, children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["queues"]), children: m5.pages.queues }) }),
    data && /* @__PURE__ */ a4(QueueActions, { name, queue: all3[0], unmerged: true, after: again }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4("p", { children: m5.queues.unmerged }),
    /* @__PURE__ */ a4(QueueTable, { of: all3, busy, plans: true }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}

// app/periodic-verbs.tsx
var main2 = [
  { name: "type", required: true, example: "bills" },
  { name: "cron_expressions", required: true, example: "0 3 * * *" }
];
var others2 = [
  { name: "timezone", kind: "zone" },
  { name: "log", kind: "choice", values: ["none", "trigger_log", "trans_log"] },
  { name: "tenant_id" },
  { name: "category" },
  { name: "creator" }
];
var ext = [{ name: "ext", kind: "json", example: '{"full": true}' }];
var all2 = [{ name: "id" }, ...main2, ...others2, ...ext];
var answered = ["status", "create_date", "update_date"];
function PeriodicActions({ task, after }) {
  const m5 = say.value.periodic;
  const [asking2, ask2] = d2();
  const operates = session.operates.value;
  const online = task.status === "online";
  const verb = online ? "offline" : "online";
  const turn2 = async () => {
    try {
      const { value } = await request("POST", restPath(["periodic-tasks", task.id, verb]));
      announce([m5.is(visible(task.id), verb), visible(value.warning ?? "")].join(" ").trim());
      after();
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  useShortcut("p", () => operates && void turn2());
  useShortcut("e", () => operates && ask2("put"));
  if (!operates) return null;
  const close = () => ask2(void 0);
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": say.value.actions, children: [
    /* @__PURE__ */ a4("button", { type: "button", onClick: () => void turn2(), children: m5[verb] }),
    /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("put"), children: m5.put }),
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2("delete"), children: m5.delete }),
    asking2 === "put" && /* @__PURE__ */ a4(PutDialog, { task, close, after }),
    asking2 === "delete" && /* @__PURE__ */ a4(DeleteDialog3, { task, close })
  ] });
}
function NewPeriodic({ after }) {
  const m5 = say.value.periodic;
  const [asking2, ask2] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "primary", onClick: () => ask2(true), children: m5.putNew }),
    asking2 && /* @__PURE__ */ a4(PutDialog, { close: () => ask2(false), after })
  ] });
}
function DeleteDialog3({ task, close }) {
  const m5 = say.value.periodic;
  const act = async () => {
    await request("DELETE", restPath(["periodic-tasks", task.id]));
    announce(m5.deleted(visible(task.id)));
    open(pageOf(["periodic"]));
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(task.id)}`, verb: m5.delete, act, close, danger: true, children: [
    /* @__PURE__ */ a4("p", { children: m5.deleteAbout }),
    /* @__PURE__ */ a4(Foresight, { of: { method: "DELETE", path: ["plans", task.type, `periodic_${task.id}`], body: {} }, zone: task.timezone })
  ] });
}
function PutDialog({ task, close, after }) {
  const m5 = say.value;
  const [begun] = d2(task);
  const act = async (form) => {
    const changes = changesIn(form, all2, begun);
    if (begun) {
      const { value: now2 } = await request("GET", restPath(["periodic-tasks", begun.id]));
      for (const name of answered) delete now2[name];
      await request("PUT", restPath(["periodic-tasks", begun.id]), withoutNulls({ ...now2, ...changes }));
      announce(m5.periodic.wasPut(visible(begun.id)));
    } else {
      const { value } = await request("POST", restPath(["periodic-tasks"]), withoutNulls(changes));
      announce([m5.periodic.wasPut(visible(value.id)), visible(value.warning ?? "")].join(" ").trim());
      open(periodicPage(value.id));
    }
    after();
  };
  const labels = m5.periodic.fields;
  return /* @__PURE__ */ a4(Dialog, { title: begun ? `${m5.periodic.put} ${visible(begun.id)}` : m5.periodic.putNew, verb: m5.periodic.put, act, close, children: [
    /* @__PURE__ */ a4("p", { children: begun ? m5.periodic.putAbout : m5.periodic.newAbout }),
    /* @__PURE__ */ a4(CronFields, { field: "cron_expressions", cron: begun?.cron_expressions, timezone: begun?.timezone, children: [
      !begun && /* @__PURE__ */ a4(RecordFields, { fields: [{ name: "id", example: "nightly" }], labels }),
      /* @__PURE__ */ a4("div", { class: "grid", children: [
        /* @__PURE__ */ a4(RecordFields, { fields: main2, of: begun, labels }),
        /* @__PURE__ */ a4(RecordFields, { fields: others2, of: begun, labels })
      ] })
    ] }),
    /* @__PURE__ */ a4(RecordFields, { fields: ext, of: begun, labels })
  ] });
}

// app/sparkline.tsx
var minute = 6e4;
var turn = Promise.resolve();
function pointsOf(station3, signal) {
  const asked3 = turn.then(async () => {
    if (signal.aborted) return void 0;
    const address = restPath(["stats", "series"], { of: "results", step: "1m", station: station3 });
    return summed((await request("GET", address, void 0, { signal })).value);
  }).catch(() => void 0);
  turn = asked3;
  return asked3;
}
var summed = ({ t: t4, series }) => t4.map((_6, i4) => Object.values(series).reduce((sum3, column) => sum3 + column[i4], 0));
function Sparkline({ station: station3 }) {
  const m5 = say.value;
  const [points2, show] = d2();
  A2(() => {
    const round2 = new AbortController();
    const ask2 = async () => {
      const got = await pointsOf(station3, round2.signal);
      if (got && !round2.signal.aborted) show(got);
    };
    void ask2();
    const timer = setInterval(() => updates.due() && void ask2(), minute);
    return () => (round2.abort(), clearInterval(timer));
  }, [station3]);
  if (!points2 || points2.length === 0) return null;
  const ordered = points2.toSorted((a5, b3) => a5 - b3);
  const [least, middle, most3] = [ordered[0], ordered[ordered.length >> 1], ordered[ordered.length - 1]];
  return /* @__PURE__ */ a4("span", { class: "spark", children: [
    /* @__PURE__ */ a4("svg", { role: "img", "aria-label": m5.stations.sparkline(count(points2.length)), viewBox: `0 0 ${width} ${height2}`, width, height: height2, children: /* @__PURE__ */ a4("path", { d: lineOf(points2, most3) }) }),
    /* @__PURE__ */ a4("small", { children: m5.stations.inWords(count(least), count(middle), count(most3)) })
  ] });
}
var width = 120;
var height2 = 24;
function lineOf(points2, most3) {
  const x4 = (i4) => (1 + i4 * (width - 2) / Math.max(points2.length - 1, 1)).toFixed(1);
  const y5 = (n3) => (height2 - 2 - (height2 - 4) * n3 / Math.max(most3, 1)).toFixed(1);
  return points2.map((n3, i4) => `${i4 ? "L" : "M"}${x4(i4)} ${y5(n3)}`).join("");
}

// app/station-verbs.tsx
var choices2 = {
  kind: ["api", "vote", "pub", "pull"],
  overlap: ["skip", "queue", "cancel_prev", "parallel", "allow"],
  failure: ["run_new", "skip", "retry"],
  concurrency: ["queue", "skip", "parallel"],
  catch_up: ["none", "compact", "full"]
};
var numbers = [
  "max_concurrency",
  "exec_timeout",
  "start_timeout",
  "voters",
  "quorum",
  "ping_interval_ms",
  "ping_timeout_ms",
  "max_unexpected_retries",
  "unexpected_retry_delay_ms"
];
var builtIn = (name) => name === "http" || name === "queue" || name.startsWith("callback.");
var recordPath = (name) => restPath(["stations", name], { used: "true" });
function recordOf(of) {
  const { put: put2, stats: _6, ...record } = of ?? {};
  return put2 ? record : void 0;
}
function StationActions({ name, record, etag, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2();
  if (!session.operates.value) return null;
  const close = () => ask2(void 0);
  const ofTasks = !!record?.task_type;
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    !ofTasks && /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("put"), children: m5.stations.put }),
    !builtIn(name) && /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("test"), children: m5.stations.test }),
    record && !ofTasks && /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2("delete"), children: m5.stations.delete }),
    asking2 === "put" && /* @__PURE__ */ a4(PutDialog2, { name, record, etag, close, after }),
    asking2 === "test" && /* @__PURE__ */ a4(TestDialog, { name, close }),
    asking2 === "delete" && /* @__PURE__ */ a4(DeleteDialog4, { name, record, close, after })
  ] });
}
function NewStation({ after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "primary", onClick: () => ask2(true), children: m5.stations.putNew }),
    asking2 && /* @__PURE__ */ a4(PutDialog2, { close: () => ask2(false), after })
  ] });
}
var named2 = ["description", ...Object.keys(choices2), ...numbers];
var textOf3 = (record, field2) => {
  const value = record?.[field2];
  return value === void 0 ? "" : String(value);
};
function recordFrom(form, begun, now2) {
  const record = { ...now2 };
  for (const name of named2) {
    const text = String(form.get(name) ?? "").trim();
    if (text === textOf3(begun, name)) continue;
    if (text === "") delete record[name];
    else record[name] = numbers.includes(name) && !Number.isNaN(Number(text)) ? Number(text) : text;
  }
  delete record.station;
  delete record.revision;
  return record;
}
async function look(station3) {
  const { value, etag } = await request("GET", recordPath(station3));
  const record = recordOf(value);
  return { record, etag: record && etag };
}
function PutDialog2({ name, record, etag, close, after }) {
  const m5 = say.value;
  const [begun] = d2({ record, etag: record && etag });
  const [now2, take] = d2(begun);
  const put2 = async (station3, form) => {
    const is = now2.record ? now2 : await look(station3);
    if (!now2.record && is.record) return is;
    try {
      await request("PUT", restPath(["stations", station3]), recordFrom(form, begun.record, now2.record), { ifMatch: now2.etag });
    } catch (e4) {
      if (e4 instanceof Refusal && e4.status === 412) return look(station3);
      throw e4;
    }
    return void 0;
  };
  const act = async (form) => {
    const station3 = name ?? String(form.get("station")).trim();
    const other = await put2(station3, form);
    if (other) {
      take(other);
      throw new Refusal(412, "", m5.stations.outdated(visible(station3), m5.stations.put), []);
    }
    announce(m5.stations.wasPut(visible(station3)));
    if (name === void 0) open(pageOf(["stations", station3]));
    after();
  };
  const names2 = m5.fields;
  const of = (field2) => textOf3(begun.record, field2);
  return /* @__PURE__ */ a4(Dialog, { title: name === void 0 ? m5.stations.putNew : `${m5.stations.put} ${visible(name)}`, verb: m5.stations.put, act, close, children: [
    /* @__PURE__ */ a4("p", { children: m5.stations.putAbout }),
    now2 !== begun && /* @__PURE__ */ a4(Changes, { of: differences(begun.record, now2.record, ["station", "revision"]) }),
    name === void 0 && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.fields.station }),
      /* @__PURE__ */ a4("input", { name: "station", required: true, autocomplete: "off" })
    ] }),
    /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.fields.description }),
      /* @__PURE__ */ a4("input", { name: "description", defaultValue: of("description"), autocomplete: "off" })
    ] }),
    /* @__PURE__ */ a4("div", { class: "grid", children: [
      Object.entries(choices2).map(([field2, values]) => /* @__PURE__ */ a4("label", { children: [
        /* @__PURE__ */ a4("span", { children: field2 === "kind" ? m5.stations.kind : names2[field2] }),
        /* @__PURE__ */ a4("select", { name: field2, children: [
          /* @__PURE__ */ a4("option", { value: "", selected: of(field2) === "", children: m5.byDefault }),
          values.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: of(field2) === v5, children: v5 }, v5))
        ] })
      ] }, field2)),
      numbers.map((field2) => /* @__PURE__ */ a4("label", { children: [
        /* @__PURE__ */ a4("span", { children: [
          names2[field2],
          " ",
          /* @__PURE__ */ a4("code", { children: field2 })
        ] }),
        /* @__PURE__ */ a4("input", { name: field2, type: "number", min: "0", step: "1", defaultValue: of(field2) })
      ] }, field2))
    ] })
  ] });
}
function DeleteDialog4({ name, record, close, after }) {
  const m5 = say.value.stations;
  const change2 = { method: "DELETE", path: ["stations", name] };
  const act = async () => {
    await request(change2.method, restPath(change2.path));
    announce(m5.wasDeleted(visible(name)));
    after();
  };
  const value = (path) => path.split(".").reduce((of, part) => of?.[part], record);
  const shown4 = (path) => {
    const v5 = value(path);
    return v5 === void 0 ? path : `${path}: ${typeof v5 === "string" ? v5 : formatJson(v5)}`;
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(name)}`, verb: m5.delete, act, close, danger: true, children: /* @__PURE__ */ a4(Foretold, { of: change2, children: (dry) => /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { children: m5.drops }),
    /* @__PURE__ */ a4("ul", { children: (dry.dropped ?? []).map((path) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("code", { children: visible(shown4(path)) }) }, path)) }),
    /* @__PURE__ */ a4("p", { children: dry.plans ? m5.plansGoOn(count(dry.plans)) : m5.noPlans }),
    dry.has_plans && dry.kind && /* @__PURE__ */ a4("p", { class: "fault", children: m5.kindFalls(dry.kind) })
  ] }) }) });
}
var ofTest = ["command", "messages"];
function TestDialog({ name, close }) {
  const m5 = say.value;
  const act = async (form) => {
    const typed = Object.fromEntries(fields.filter((f5) => ofTest.includes(f5.name)).map((f5) => [f5.name, String(form.get(f5.name) ?? "")]));
    const faults = {};
    const plan = planOf(typed, faults, m5.notJson);
    if (faults.messages) throw new Refusal(400, "", faults.messages, []);
    const { value } = await request("POST", restPath(["plans"]), {
      ...plan,
      station: name,
      plan_type: "none",
      description: "test",
      retry: { strategy: "none" },
      on_failure: "settle"
    });
    announce(m5.stations.wasSent(visible(name)));
    open(runPage(name, value.plan_id, 1));
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.stations.test} ${visible(name)}`, verb: m5.stations.test, act, close, children: [
    /* @__PURE__ */ a4("p", { children: m5.stations.testAbout }),
    /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.fields.command }),
      /* @__PURE__ */ a4("input", { name: "command", defaultValue: "test", autocomplete: "off" })
    ] }),
    /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.fields.messages }),
      /* @__PURE__ */ a4("textarea", { name: "messages", rows: 3, placeholder: '["hello"]' })
    ] })
  ] });
}

// app/stations.tsx
var stationPage = (station3) => pageOf(["stations", station3]);
function Stations() {
  const m5 = say.value;
  const query2 = { cursor: param("cursor"), limit: param("limit"), used: "true" };
  const [resource, again] = useResource(restPath(["stations"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.stations ?? [], (s4) => s4.station ?? "", m5.pages.stations);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.stations, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewStation, { after: again }), children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    fresh,
    /* @__PURE__ */ a4(Table, { name: m5.pages.stations, columns: m5.columns.stations, kind: "stations", busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoStations, {}), children: list.map((s4) => /* @__PURE__ */ a4(Row5, { of: s4 }, s4.station)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function Row5({ of: s4 }) {
  const m5 = say.value;
  const name = s4.station ?? "";
  return /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4("a", { href: stationPage(name), children: visible(name) }),
      s4.description && /* @__PURE__ */ a4("div", { class: "about", children: visible(s4.description) })
    ] }),
    /* @__PURE__ */ a4("td", { children: [
      s4.kind ?? "api",
      s4.put === false && /* @__PURE__ */ a4("div", { class: "about", children: m5.stations.neverPut })
    ] }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(s4.stats?.workers ?? 0) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(s4.stats?.under_way ?? 0) }),
    /* @__PURE__ */ a4("td", { children: s4.stats && /* @__PURE__ */ a4(Waiting, { of: s4.stats }) }),
    /* @__PURE__ */ a4("td", { children: !s4.stats?.shared && /* @__PURE__ */ a4(Sparkline, { station: name }) })
  ] });
}
function Waiting({ of }) {
  const m5 = say.value;
  const waits2 = Object.entries(of.waiting);
  if (of.shared) return /* @__PURE__ */ a4("span", { class: "about", children: m5.stations.shared });
  if (waits2.length === 0) return /* @__PURE__ */ a4($, { children: "0" });
  return /* @__PURE__ */ a4($, { children: waits2.map(([cause, n3]) => /* @__PURE__ */ a4("div", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"], { station: of.station, waits: cause }), children: [
    visible(cause),
    ": ",
    count(n3)
  ] }) }, cause)) });
}
function NoStations() {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.stations.none }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster station put mail --max-concurrency 5" }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster work --station mail -- echo hello" })
  ] });
}

// app/periodic.tsx
var periodicPage = (id) => pageOf(["periodic", id]);
var filters6 = ["type", "status", "tenant_id", "category", "creator"];
function PeriodicTasks() {
  const m5 = say.value;
  const query2 = Object.fromEntries([...filters6, "cursor", "limit"].map((name) => [name, param(name)]));
  const [resource, again] = useResource(restPath(["periodic-tasks"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.periodic_tasks ?? [], (t4) => t4.id, m5.pages.periodic);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.periodic, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewPeriodic, { after: again }), children: [
    /* @__PURE__ */ a4(Filters, { label: m5.periodic.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "type", label: m5.periodic.fields.type }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: ["new", "online", "offline"], any: m5.any }),
      /* @__PURE__ */ a4(MoreFilters, { names: filters6.slice(2), children: [
        /* @__PURE__ */ a4(TextFilter, { name: "tenant_id", label: m5.fields.tenant_id }),
        /* @__PURE__ */ a4(TextFilter, { name: "category", label: m5.fields.category }),
        /* @__PURE__ */ a4(TextFilter, { name: "creator", label: m5.fields.creator })
      ] }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { name: m5.pages.periodic, columns: m5.periodic.columns, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoTasks, { next: data?.next }), children: list.map((t4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: periodicPage(t4.id), children: visible(t4.id) }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(State, { of: t4.status }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: stationPage(t4.type), children: visible(t4.type) }) }),
      /* @__PURE__ */ a4("td", { children: [
        /* @__PURE__ */ a4("code", { children: visible(t4.cron_expressions) }),
        " ",
        /* @__PURE__ */ a4("span", { class: "about", children: visible(t4.timezone ?? "UTC") })
      ] }),
      /* @__PURE__ */ a4("td", { children: t4.log }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: t4.update_date, zone: t4.timezone }) })
    ] }, t4.id)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function NoTasks({ next: next2 }) {
  const m5 = say.value;
  const set = filters6.filter((name) => param(name));
  if (set.length > 0 || next2 || param("cursor")) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.periodic.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries([...filters6, "cursor", "before"].map((name) => [name, void 0]))), children: m5.withoutFilters }) })
    ] });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.periodic.none }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster periodic put nightly --type bills --cron '0 3 * * *' --log trans_log" }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster periodic online nightly" })
  ] });
}

// app/periodic-task.tsx
function PeriodicTask({ id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["periodic-tasks", id]));
  const { data: task, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: visible(id), busy, aside: task && /* @__PURE__ */ a4(State, { of: task.status }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["periodic"]), children: m5.pages.periodic }) }),
    task && /* @__PURE__ */ a4(PeriodicActions, { task, after: again }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { children: m5.periodic.gone }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    task && /* @__PURE__ */ a4(Facts4, { of: task }),
    task && /* @__PURE__ */ a4(Next, { of: task }),
    !refused && /* @__PURE__ */ a4(Log, { id, zone: task?.timezone })
  ] });
}
var planOf2 = (task) => ({ station: task.type, id: `periodic_${task.id}` });
function Facts4({ of: task }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("dl", { class: "facts", children: [
      /* @__PURE__ */ a4(Fact, { name: m5.periodic.fields.type, children: /* @__PURE__ */ a4("a", { href: stationPage(task.type), children: visible(task.type) }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.columns.plans[2], children: [
        /* @__PURE__ */ a4("code", { children: visible(task.cron_expressions) }),
        " ",
        /* @__PURE__ */ a4("span", { class: "about", children: visible(task.timezone ?? "UTC") })
      ] }),
      /* @__PURE__ */ a4(Fact, { name: m5.columns.plan, children: /* @__PURE__ */ a4(PlanLink, { ...planOf2(task) }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.periodic.made, children: /* @__PURE__ */ a4(When, { at: task.create_date, zone: task.timezone }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.periodic.changed, children: /* @__PURE__ */ a4(When, { at: task.update_date, zone: task.timezone }) }),
      task.ext !== void 0 && task.ext !== null && /* @__PURE__ */ a4(Fact, { name: m5.fields.ext, wide: true, children: /* @__PURE__ */ a4(Value, { of: task.ext }) })
    ] }),
    /* @__PURE__ */ a4(Members, { of: task, but: ["id", "type", "cron_expressions", "timezone", "status", "create_date", "update_date", "ext"] })
  ] });
}
function Next({ of: task }) {
  const { station: station3, id } = planOf2(task);
  const [resource] = useResource(
    restPath(["plans", station3, id, "upcoming"], { count: "5", with_skipped: "true", lang: lang.now.value }),
    true
  );
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: say.value.nextOccurrences }),
    refused && refused.status !== 404 && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(NextOccurrences, { of: data, zone: task.timezone, busy })
  ] });
}
function Log({ id, zone }) {
  const m5 = say.value;
  const query2 = { cursor: param("cursor"), limit: param("limit") || "20" };
  const [resource] = useResource(restPath(["periodic-tasks", id, "logs"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.logs ?? [], (row) => row.id, m5.periodic.log);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: [
      m5.periodic.log,
      " ",
      fresh
    ] }),
    refused && refused.status !== 404 && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { name: m5.periodic.log, columns: m5.periodic.logColumns, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4("p", { class: "about", children: m5.periodic.noLog }), children: list.map((row) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: row.create_date, zone }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(State, { of: row.result }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: row.result !== "executing" && took(row.create_date, row.update_date) }),
      /* @__PURE__ */ a4("td", { children: row.error_info && visible(row.error_info) })
    ] }, row.id)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}

// app/run.tsx
var underWay3 = ["dispatched", "running", "waiting"];
function Run({ station: station3, id, n: n3 }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["plans", station3, id, "runs", n3]));
  const { data, refused, busy } = resource.value;
  const run = data?.run;
  const [plan] = useResource(restPath(["plans", station3, id]));
  const zone = plan.value.data?.plan.timezone;
  const newest = plan.value.data?.state.n ?? (plan.value.busy ? 0 : Infinity);
  return /* @__PURE__ */ a4(Page, { title: m5.runTitle(visible(`${station3}/${id}`), visible(n3)), busy, aside: run && /* @__PURE__ */ a4(State, { of: run.state }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4(PlanLink, { station: station3, id }) }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    run && session.operates.value && /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
      underWay3.includes(run.state) && /* @__PURE__ */ a4(CancelRun, { station: station3, id, n: run.n, after: again }),
      plan.value.data && takes(plan.value.data.state, "trigger") && /* @__PURE__ */ a4(TriggerAgain, { station: station3, id })
    ] }),
    /* @__PURE__ */ a4(Why, { station: station3, id, of: { n: n3 }, zone }),
    run && /* @__PURE__ */ a4(Facts5, { run, zone }),
    run && /* @__PURE__ */ a4(Attempts, { run, zone }),
    run && /* @__PURE__ */ a4(Contents, { run }),
    run && /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.paging, children: [
      run.n > 1 && /* @__PURE__ */ a4("a", { href: runPage(station3, id, run.n - 1), children: m5.run(run.n - 1) }),
      run.n < newest && /* @__PURE__ */ a4("a", { href: runPage(station3, id, run.n + 1), children: m5.run(run.n + 1) })
    ] })
  ] });
}
function Facts5({ run, zone }) {
  const m5 = say.value;
  const steps4 = [
    { name: m5.steps.due, at: run.plan_time },
    { name: m5.steps.dispatched, at: run.exec_time },
    { name: m5.steps.ended, at: run.end_time }
  ].filter((s4) => s4.at);
  return /* @__PURE__ */ a4("ol", { class: "steps", "aria-label": m5.steps.all, children: steps4.map((s4, i4) => /* @__PURE__ */ a4("li", { children: [
    /* @__PURE__ */ a4("span", { class: "step", children: s4.name }),
    /* @__PURE__ */ a4(When, { at: s4.at, zone, bare: true }),
    i4 > 0 && /* @__PURE__ */ a4("small", { children: [
      "+",
      took(steps4[i4 - 1].at, s4.at)
    ] })
  ] }, s4.name)) });
}
function Attempts({ run, zone }) {
  const m5 = say.value;
  const [resource] = useResource(
    run.occurrence && run.attempt > 1 ? restPath(["plans", run.station, run.plan_id, "runs"], { limit: "100" }) : void 0
  );
  const same = (resource.value.data?.runs ?? []).filter((r4) => r4.occurrence === run.occurrence);
  if (same.length < 2) return null;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.attempts }),
    /* @__PURE__ */ a4(Table, { name: m5.attempts, columns: m5.columns.attempts, children: same.map((r4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: runPage(r4.station, r4.plan_id, r4.n), children: r4.n }) }),
      /* @__PURE__ */ a4("td", { children: r4.attempt }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(State, { of: r4.state }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.exec_time, zone, bare: true }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: took(r4.exec_time, r4.end_time) }),
      /* @__PURE__ */ a4("td", { children: r4.worker_id && visible(r4.worker_id) })
    ] }, r4.n)) })
  ] });
}
function Contents({ run }) {
  const m5 = say.value;
  const texts = [
    [m5.fields.command, run.command],
    [m5.occurrence, run.occurrence || m5.byHand],
    [m5.attempt, run.attempt],
    [m5.worker, run.worker_id],
    [m5.key, run.key],
    [m5.reason, run.reason],
    [m5.triggerOf, run.trigger],
    [m5.by, run.by],
    [m5.note, run.note],
    [m5.fields.request_id, run.request_id],
    [m5.fields.caller, run.caller],
    [m5.fields.tenant_id, run.tenant_id]
  ];
  const values = [
    [m5.error, run.error],
    [m5.content, run.content],
    [m5.fields.messages, run.messages],
    [m5.votes, run.votes],
    [m5.fields.ext, run.ext]
  ];
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    texts.map(([name, text]) => text !== void 0 && text !== "" && /* @__PURE__ */ a4(Fact, { name, children: visible(String(text)) }, name)),
    run.labels && /* @__PURE__ */ a4(Fact, { name: m5.fields.labels, children: /* @__PURE__ */ a4(Labels, { of: run.labels }) }),
    values.map(([name, value]) => value !== void 0 && value !== null && /* @__PURE__ */ a4(Fact, { name, wide: true, children: /* @__PURE__ */ a4(Value, { of: value }) }, name))
  ] });
}

// app/station.tsx
function Station({ name }) {
  const m5 = say.value;
  const [resource, again] = useResource(recordPath(name));
  const { data, refused, busy, etag } = resource.value;
  const record = recordOf(data);
  const stats = data?.stats;
  return /* @__PURE__ */ a4(Page, { title: visible(name), busy, aside: data && /* @__PURE__ */ a4("span", { class: "about", children: data.kind ?? "api" }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["stations"]), children: m5.pages.stations }) }),
    data && /* @__PURE__ */ a4(StationActions, { name, record, etag, after: again }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    data && !record && /* @__PURE__ */ a4("p", { children: m5.stations.defaultsHold }),
    record && /* @__PURE__ */ a4(Record, { of: record }),
    stats && /* @__PURE__ */ a4(Use, { of: stats }),
    !refused && /* @__PURE__ */ a4(Serving, { station: name }),
    stats && (stats.waiting.room ?? 0) > 0 && /* @__PURE__ */ a4(InLine, { station: name })
  ] });
}
function Record({ of: record }) {
  const m5 = say.value;
  const names2 = m5.fields;
  const known = new Set(fields.map((f5) => f5.name));
  const shown4 = Object.entries(record).filter(([name]) => !["station", "kind", "description", "revision"].includes(name));
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    record.description && /* @__PURE__ */ a4(Fact, { name: m5.fields.description, wide: true, children: visible(record.description) }),
    shown4.map(([name, value]) => /* @__PURE__ */ a4(Fact, { name: known.has(name) ? names2[name] : /* @__PURE__ */ a4("code", { children: visible(name) }), children: /* @__PURE__ */ a4("code", { children: visible(typeof value === "string" ? value : formatJson(value)) }) }, name))
  ] });
}
function Use({ of: stats }) {
  const m5 = say.value;
  const hour = stats.results["1h"];
  const states2 = Object.entries(hour?.states ?? {});
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    /* @__PURE__ */ a4(Fact, { name: m5.pages.plans, children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"], { station: stats.station }), children: count(stats.plans) }) }),
    /* @__PURE__ */ a4(Fact, { name: m5.stations.underWay, children: count(stats.under_way) }),
    /* @__PURE__ */ a4(Fact, { name: m5.stations.waiting, children: /* @__PURE__ */ a4(Waiting, { of: stats }) }),
    stats.oldest_wait && /* @__PURE__ */ a4(Fact, { name: m5.stations.oldestWait, children: /* @__PURE__ */ a4(When, { at: stats.oldest_wait }) }),
    !stats.shared && /* @__PURE__ */ a4(Fact, { name: m5.stations.lastHour, children: [
      states2.length === 0 && "0",
      states2.map(([state, n3]) => /* @__PURE__ */ a4("div", { children: [
        /* @__PURE__ */ a4("a", { href: pageOf(["runs"], { station: stats.station, state }), children: count(n3) }),
        " ",
        /* @__PURE__ */ a4(State, { of: state })
      ] }, state))
    ] }),
    !stats.shared && /* @__PURE__ */ a4(Fact, { name: m5.stations.byMinute, children: /* @__PURE__ */ a4(Sparkline, { station: stats.station }) })
  ] });
}
function Serving({ station: station3 }) {
  const m5 = say.value;
  const [resource] = useResource(restPath(["workers"], { station: station3, limit: "100" }), true);
  const { data, refused, busy } = resource.value;
  const list = data?.workers ?? [];
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.pages.workers }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { name: m5.pages.workers, columns: m5.columns.workers.filter((_6, i4) => i4 !== 1), busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoWorkers, { station: station3 }), children: list.map((w5) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: pageOf(["workers", w5.worker_id]), children: visible(w5.worker_id) }) }),
      /* @__PURE__ */ a4("td", { children: w5.version && visible(w5.version) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: w5.last_seen }) }),
      /* @__PURE__ */ a4("td", { children: count(w5.load ?? 0) })
    ] }, w5.worker_id)) })
  ] });
}
function NoWorkers({ station: station3 }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: [
      m5.workers.nobodyServes(visible(station3)),
      " ",
      m5.workers.begin
    ] }),
    /* @__PURE__ */ a4(FirstWorker, { station: station3 })
  ] });
}
function InLine({ station: station3 }) {
  const m5 = say.value;
  const address = restPath(["plans"], { station: station3, waits: "room", fields: "brief", words: lang.now.value, limit: "100" });
  const [resource] = useResource(address, true);
  const { data, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.stations.inLine }),
    /* @__PURE__ */ a4(Table, { name: m5.stations.inLine, columns: m5.columns.due, busy, children: (data?.plans ?? []).map(({ plan, state }) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(PlanLink, { station: String(plan.station), id: String(plan.plan_id) }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: state.open?.[0]?.plan_time ?? state.plan_time, zone: plan.timezone }) })
    ] }, plan.plan_id)) }),
    data?.next && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"], { station: station3, waits: "room" }), children: m5.all }) })
  ] });
}

// app/swimlanes.tsx
var [level, rim, caption] = [24, 6, 20];
var levels = 12;
var around2 = 120;
function Swimlanes({ of, field: field2 }) {
  const m5 = say.value;
  const region = T2(null);
  const held = T2("");
  const [at2, setAt] = d2({ top: 0, height: 600, narrow: matchMedia("(max-width: 40rem)").matches });
  const [rows, drawn] = w2(
    () => [layOut(of, field2, at2.narrow ? caption : 0), /* @__PURE__ */ new Map()],
    [of, at2.narrow, lang.now.value, tz.now.value, place.value.search]
  );
  const measure = () => {
    const box = region.current;
    const seen = { top: box.scrollTop, height: box.clientHeight, narrow: matchMedia("(max-width: 40rem)").matches };
    if (Math.abs(seen.top - at2.top) > level || seen.height !== at2.height || seen.narrow !== at2.narrow) setAt(seen);
  };
  F2(measure);
  F2(() => {
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  });
  const shown4 = rows.filter((r4) => r4.lane === held.current || r4.top + r4.height > at2.top - around2 && r4.top < at2.top + at2.height + around2);
  const last = rows.at(-1);
  return /* @__PURE__ */ a4(
    "div",
    {
      class: "scroll swimlanes",
      ref: region,
      role: "region",
      "aria-label": m5.timeline.picture,
      tabIndex: 0,
      onScroll: measure,
      onKeyDown: move2,
      onPointerOver: hint,
      onFocusIn: (e4) => held.current = e4.target.closest(".lane")?.dataset.lane ?? "",
      children: [
        /* @__PURE__ */ a4(Axis, { from: Date.parse(of.from), until: Date.parse(of.until), narrow: at2.narrow }),
        /* @__PURE__ */ a4("div", { class: "lanes", style: { height: `${last ? last.top + last.height : 0}px` }, children: shown4.map((r4) => {
          const known = drawn.get(r4.lane) ?? r4.draw();
          drawn.set(r4.lane, known);
          return known;
        }) })
      ]
    }
  );
}
function nameOf3(lane) {
  const m5 = say.value.timeline;
  return lane === "" ? m5.nobody : lane === "*" ? m5.others : visible(lane);
}
function titleOf({ lane, bars: bars2 }) {
  const known = lane === `${bars2?.[0]?.station}/${bars2?.[0]?.plan_id}` && bars2[0].known_as;
  return known ? visible(known) : nameOf3(lane);
}
function layOut(of, field2, head) {
  const [from, until] = [Date.parse(of.from), Date.parse(of.until)];
  const share2 = (at2) => 100 * (Math.min(Math.max(at2, from), until) - from) / (until - from);
  const most3 = Math.max(1, ...of.lanes.flatMap((lane) => (lane.buckets ?? []).map((b3) => b3.count)));
  let top = 0;
  return of.lanes.map((lane) => {
    const [bars2, deep] = lane.bars ? stack(lane.bars, until, (until - from) / 300) : [[], 1];
    const row = { lane: lane.lane, top, height: head + deep * level + rim };
    top += row.height;
    const draw = () => /* @__PURE__ */ a4("div", { class: "lane", "data-lane": lane.lane, style: { top: `${row.top}px`, height: `${row.height}px` }, children: [
      /* @__PURE__ */ a4("span", { class: "lane-name", title: nameOf3(lane.lane), children: titleOf(lane) }),
      /* @__PURE__ */ a4("div", { class: "track", children: [
        bars2.map(({ bar, at: at2 }) => /* @__PURE__ */ a4(Piece, { of: bar, at: at2, share: share2, until }, `${bar.n ?? ""} ${bar.due}`)),
        (lane.buckets ?? []).map((b3, i4) => b3.count > 0 && /* @__PURE__ */ a4(
          Field,
          {
            of: b3,
            lane: lane.lane,
            most: most3,
            href: field2(from + i4 * of.step_ms, lane.lane),
            left: share2(from + i4 * of.step_ms),
            right: share2(from + (i4 + 1) * of.step_ms)
          },
          i4
        ))
      ] })
    ] }, lane.lane);
    return { ...row, draw };
  });
}
var first = (b3) => Date.parse((b3.attempt ?? 0) > 1 && b3.start ? b3.start : (b3.state === "skipped" && !b3.start ? b3.end : b3.due) ?? b3.start ?? b3.end ?? "");
function stack(bars2, until, least) {
  const ends = [];
  const placed = bars2.map((bar) => {
    const begin = Math.min(first(bar), Date.parse(bar.start ?? bar.end ?? "") || Infinity);
    let at2 = ends.findIndex((end) => end <= begin);
    if (at2 < 0) at2 = Math.min(ends.length, levels - 1);
    ends[at2] = Math.max(ends[at2] ?? 0, (bar.end ? Date.parse(bar.end) : until) + least, begin + least);
    return { bar, at: at2 };
  });
  return [placed, Math.max(1, ends.length)];
}
var waited = (b3) => b3.state !== "skipped" && !b3.start || b3.reason === "start" || b3.reason === "worker" || !b3.end && b3.state === "dispatched";
function Piece({ of: b3, at: at2, share: share2, until }) {
  const m5 = say.value.timeline;
  const end = b3.end ? Date.parse(b3.end) : until;
  const start = b3.start ? Date.parse(b3.start) : first(b3);
  const due = Math.min(first(b3), start);
  const name = visible(`${b3.station}/${b3.plan_id}`);
  const told = [
    `${name}${b3.n ? ` ${say.value.run(b3.n)}` : ""}: ${wordOf(b3.state)}${b3.reason ? ` ${visible(b3.reason)}` : ""}`,
    clock2(start),
    took(b3.start, b3.end),
    (b3.attempt ?? 0) > 1 && m5.attempt(String(b3.attempt)),
    b3.start && start - due >= 1e3 && m5.due(duration(start - due))
  ].filter(Boolean).join(", ");
  const kind = `piece ${b3.state}${waited(b3) ? " hatched" : ""}${(b3.attempt ?? 0) > 1 ? " tick" : ""}${b3.state === "timeout" ? " edge" : ""}${b3.end ? "" : " open"}`;
  const [left, right, hair] = [share2(start), share2(end), share2(due)];
  const top = `${at2 * level}px`;
  return /* @__PURE__ */ a4($, { children: [
    b3.start && hair < left && /* @__PURE__ */ a4("i", { class: "hair", style: { left: `${hair}%`, width: `${left - hair}%`, top } }),
    /* @__PURE__ */ a4(
      "a",
      {
        class: kind,
        style: { left: `${left}%`, width: `${right - left}%`, top },
        tabIndex: -1,
        "aria-label": told,
        href: b3.n ? runPage(b3.station, b3.plan_id, b3.n) : planPage(b3.station, b3.plan_id)
      }
    )
  ] });
}
var clock2 = (at2) => localOf(at2, shownZone()).time;
function Field({ of, lane, most: most3, href, left, right }) {
  const told = say.value.timeline.field(nameOf3(lane), count(of.count), count(of.bad));
  return /* @__PURE__ */ a4("a", { class: `field shade-${shadeOf(of.count, most3)}${of.bad > 0 ? " bad" : ""}`, style: { left: `${left}%`, width: `${right - left}%` }, tabIndex: -1, href, "aria-label": told });
}
var minute2 = 6e4;
var steps3 = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((n3) => n3 * minute2);
function Axis({ from, until, narrow }) {
  const step = steps3.find((s4) => (until - from) / s4 <= (narrow ? 4 : 10)) ?? 720 * minute2;
  const offset = Date.parse(`${localOf(from, shownZone()).date}T${localOf(from, shownZone()).time}Z`) - Math.floor(from / 1e3) * 1e3;
  const marks = [];
  for (let at2 = Math.ceil((from + offset) / step) * step - offset; at2 < until; at2 += step) marks.push(at2);
  return /* @__PURE__ */ a4("div", { class: "axis", "aria-hidden": "true", children: /* @__PURE__ */ a4("div", { class: "track", children: marks.map((at2) => /* @__PURE__ */ a4("span", { style: { left: `${100 * (at2 - from) / (until - from)}%` }, children: clock2(at2).slice(0, step < minute2 ? 8 : 5) }, at2)) }) });
}
var links = "a.piece, a.field";
function hint(e4) {
  const link = e4.target.closest(links);
  if (link && !link.title) link.title = link.ariaLabel ?? "";
}
function setStop(region) {
  if (!region.isConnected) return;
  const all3 = [...region.querySelectorAll(links)];
  const top = region.getBoundingClientRect().top;
  const stop = all3.find((a5) => a5 === document.activeElement) ?? all3.find((a5) => a5.getBoundingClientRect().top >= top) ?? all3[0];
  for (const a5 of region.querySelectorAll("a[tabindex='0']")) if (a5 !== stop) a5.tabIndex = -1;
  if (stop) stop.tabIndex = 0;
}
function move2(e4) {
  if (e4.key === "Tab" && e4.target === e4.currentTarget) setStop(e4.currentTarget);
  const link = e4.target.closest(links);
  if (!link || e4.ctrlKey || e4.metaKey || e4.altKey || e4.shiftKey) return;
  const lane = link.closest(".lane");
  const lanes = [...lane.parentElement.children].filter((l4) => l4.querySelector(links)).sort((a5, b3) => a5.offsetTop - b3.offsetTop);
  const along = [...lane.querySelectorAll(links)];
  let next2;
  switch (e4.key) {
    case "ArrowLeft":
    case "ArrowRight":
      next2 = along[along.indexOf(link) + (e4.key === "ArrowLeft" ? -1 : 1)];
      break;
    case "ArrowUp":
    case "ArrowDown":
      next2 = nearest(lanes[lanes.indexOf(lane) + (e4.key === "ArrowUp" ? -1 : 1)], link.offsetLeft);
      break;
    default:
      return;
  }
  e4.preventDefault();
  next2?.focus();
  setStop(lane.closest(".swimlanes"));
}
function nearest(lane, left) {
  const all3 = [...lane?.querySelectorAll(links) ?? []];
  return all3.sort((a5, b3) => Math.abs(a5.offsetLeft - left) - Math.abs(b3.offsetLeft - left))[0];
}

// app/timeline.tsx
var minute3 = 6e4;
var spans = [
  ["15m", 15 * minute3],
  ["30m", 30 * minute3],
  ["1h", 60 * minute3],
  ["3h", 180 * minute3],
  ["6h", 360 * minute3],
  ["12h", 720 * minute3],
  ["24h", 1440 * minute3]
];
var spanOf = (name) => (spans.find(([word]) => word === name) ?? spans[2])[1];
var filters7 = ["lanes", "station", "from", "until", "max"];
function Timeline() {
  const m5 = say.value;
  const [fit, setFit] = d2("");
  const span = param("span") || fit;
  const begin = useBegin(span === fit && fit === "1h" ? "" : span);
  const query2 = Object.fromEntries(filters7.map((name) => [name, name === "from" ? begin : param(name)]));
  const past = param("until") !== "" && Date.parse(param("until")) < now.peek();
  const [resource] = useSoonThenAll(["timeline"], query2, (lines) => lines.complete === false, past);
  const { data: answer, refused, busy } = resource.value;
  F2(() => {
    if (answer && !busy && answer.complete !== false && !fit && !param("span") && !isFixed()) setFit(fitOf(answer));
  }, [answer]);
  const data = answer && span === fit && !isFixed() ? cut(answer, spanOf(fit)) : answer;
  return /* @__PURE__ */ a4(Page, { title: m5.pages.timeline, busy: busy && !data, children: [
    /* @__PURE__ */ a4(Filters, { label: m5.timeline.filter, children: [
      /* @__PURE__ */ a4(ChoiceFilter, { name: "lanes", label: m5.timeline.lanes, values: ["worker", "station"], any: m5.timeline.byPlan }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station, type: "search" }),
      /* @__PURE__ */ a4(MoreFilters, { names: ["from", "until"], children: [
        /* @__PURE__ */ a4(TimeFilter, { name: "from", label: m5.allRuns.from }),
        /* @__PURE__ */ a4(TimeFilter, { name: "until", label: m5.allRuns.until })
      ] })
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    data && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4(Times2, { of: data, span }),
      /* @__PURE__ */ a4(Found2, { of: data, span, reading: busy }),
      data.lanes.length > 0 && /* @__PURE__ */ a4(Swimlanes, { of: data, field: (from, lane) => fieldOf(data, from, lane) }),
      data.lanes.length > 0 && !data.step_ms && /* @__PURE__ */ a4(Legend, {}),
      data.step_ms ? /* @__PURE__ */ a4(Counted, { lanes: data.lanes }) : /* @__PURE__ */ a4(Each, { of: data })
    ] })
  ] });
}
function useBegin(span) {
  const kept = T2({ span: "", from: "" });
  if (isFixed() || !span) return param("from");
  if (!updates.paused.value || kept.current.span !== span) {
    const step = spanOf(span) / 60;
    const from = Math.ceil((now.value - spanOf(span) + step / 2) / step) * step;
    kept.current = { span, from: instant2(from) };
  }
  return kept.current.from;
}
function fitOf(of) {
  const begun = of.lanes.flatMap((lane) => (lane.bars ?? []).map((bar) => Date.parse(begins(bar))));
  const needs = of.step_ms || begun.length === 0 ? Infinity : Date.parse(of.until) - Math.min(...begun);
  return spans.slice(0, 2).find(([, span]) => needs < 0.95 * span)?.[0] ?? "1h";
}
function cut(of, span) {
  const from = Date.parse(of.until) - span;
  return of.step_ms || Date.parse(of.from) >= from ? of : { ...of, from: instant2(from) };
}
var isFixed = () => param("from") !== "" || param("until") !== "";
var instant2 = (at2) => new Date(Math.round(at2 / 1e3) * 1e3).toISOString().replace(".000Z", "Z");
function Times2({ of, span: shown4 }) {
  const m5 = say.value.timeline;
  const [from, until] = [Date.parse(of.from), Date.parse(of.until)];
  const fixed = isFixed();
  const length = until - from;
  const present = fixed ? length : spanOf(shown4);
  const shorter = spans.findLast(([, span]) => span < present);
  const longer = spans.find(([, span]) => span > present);
  const to = ([word, span]) => {
    if (!fixed) return withQuery({ span: word, rows: void 0 });
    const middle = (from + until) / 2;
    return timesOf(middle - span / 2, middle + span / 2);
  };
  return /* @__PURE__ */ a4("nav", { class: "paging times", "aria-label": m5.times, children: [
    shorter && /* @__PURE__ */ a4("a", { href: to(shorter), children: m5.zoomIn }),
    longer && /* @__PURE__ */ a4("a", { href: to(longer), children: m5.zoomOut }),
    /* @__PURE__ */ a4("a", { href: timesOf(from - length / 2, until - length / 2), children: m5.earlier }),
    fixed && /* @__PURE__ */ a4("a", { href: timesOf(from + length / 2, until + length / 2), children: m5.later }),
    fixed && /* @__PURE__ */ a4("a", { href: withQuery({ from: void 0, until: void 0, rows: void 0 }), children: m5.now })
  ] });
}
var timesOf = (from, until) => withQuery({ from: instant2(from), until: instant2(until), span: void 0, rows: void 0 });
function fieldOf(of, from, lane) {
  const step = of.step_ms;
  if (step >= minute3) return timesOf(Math.min(from, from + step / 2 - 7.5 * minute3), Math.max(from + step, from + step / 2 + 7.5 * minute3));
  const [by, name] = [param("lanes") || "plan", lane === "*" ? "" : lane];
  const [station3, id] = by === "plan" ? name.split("/") : [by === "station" ? name : ""];
  return pageOf(["runs"], { from: instant2(from), until: instant2(from + step), station: station3 || param("station"), plan_id: id, worker_id: by === "worker" ? name : "" });
}
var total = (lane, of) => (lane.buckets ?? []).reduce((sum3, b3) => sum3 + b3[of], 0);
function Found2({ of, span, reading }) {
  const m5 = say.value.timeline;
  const n3 = of.lanes.reduce((sum3, lane) => sum3 + (lane.bars?.length ?? total(lane, "count")), 0);
  const set = ["station"].filter((name) => param(name));
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { class: "about", children: [
      m5.found(count(n3), duration(isFixed() ? Date.parse(of.until) - Date.parse(of.from) : spanOf(span))),
      /* @__PURE__ */ a4(When, { at: of.from, bare: true }),
      " – ",
      /* @__PURE__ */ a4(When, { at: of.until, bare: true }),
      !param("until") && ` ${m5.live}`
    ] }),
    of.step_ms && /* @__PURE__ */ a4("p", { class: "about", children: m5.counted(duration(of.step_ms)) }),
    of.complete === false && /* @__PURE__ */ a4("p", { class: "searched", children: reading ? m5.reading : m5.incomplete }),
    n3 === 0 && /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: set.length > 0 ? m5.noneFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) : m5.none }),
      set.length > 0 && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries(set.map((name) => [name, void 0]))), children: say.value.withoutFilters }) }),
      set.length === 0 && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans"]), children: say.value.pages.plans }) })
    ] })
  ] });
}
function Legend() {
  return /* @__PURE__ */ a4("ul", { class: "legend", children: say.value.timeline.legend.map(([kind, text]) => /* @__PURE__ */ a4("li", { children: [
    /* @__PURE__ */ a4("span", { class: `sample ${kind}`, "aria-hidden": "true" }),
    text
  ] }, kind)) });
}
var page = 100;
var begins = (b3) => b3.start ?? b3.end ?? b3.due ?? "";
function Each({ of }) {
  const m5 = say.value;
  const all3 = of.lanes.flatMap((lane) => (lane.bars ?? []).map((bar) => ({ bar, worker: param("lanes") === "worker" ? lane.lane : void 0 })));
  all3.sort((a5, b3) => begins(a5.bar) < begins(b3.bar) ? 1 : begins(a5.bar) > begins(b3.bar) ? -1 : 0);
  const first2 = Math.max(0, Math.min(Number(param("rows")) || 0, all3.length - 1));
  const runs = all3.slice(first2, first2 + page).map(({ bar: b3, worker }) => ({
    ...b3,
    key: `${b3.station}/${b3.plan_id}/${b3.due}`,
    plan_time: b3.due,
    exec_time: b3.start,
    end_time: b3.end,
    worker_id: worker
  }));
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4(Runs, { all: true, name: m5.pages.timeline, runs, workers: param("lanes") === "worker" }),
    (first2 > 0 || first2 + page < all3.length) && /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.paging, children: [
      first2 > 0 && /* @__PURE__ */ a4("a", { href: withQuery({ rows: first2 > page ? String(first2 - page) : void 0 }), children: m5.previousPage }),
      first2 + page < all3.length && /* @__PURE__ */ a4("a", { href: withQuery({ rows: String(first2 + page) }), children: m5.nextPage })
    ] })
  ] });
}
function Counted({ lanes }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { listed: true, name: m5.pages.timeline, columns: m5.timeline.laneColumns, figures: 2, children: lanes.map((lane) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: pageOfLane(lane.lane) ? /* @__PURE__ */ a4("a", { href: pageOfLane(lane.lane), children: nameOf3(lane.lane) }) : nameOf3(lane.lane) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(total(lane, "count")) }),
    /* @__PURE__ */ a4("td", { class: "number", children: count(total(lane, "bad")) })
  ] }, lane.lane)) });
}
function pageOfLane(lane) {
  if (lane === "" || lane === "*") return void 0;
  switch (param("lanes")) {
    case "worker":
      return pageOf(["workers", lane]);
    case "station":
      return pageOf(["stations", lane]);
    default:
      return planPage(...lane.split("/"));
  }
}

// app/task-verbs.tsx
var verbs3 = ["process", "retry", "cancel"];
var takes3 = {
  process: ["Pending"],
  retry: ["Pending", "Failure"],
  cancel: ["New", "Executing", "Error", "Pending"]
};
function TaskActions({ task, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2();
  const there = session.operates.value ? verbs3.filter((v5) => takes3[v5].includes(task.status)) : [];
  if (there.length === 0) return null;
  const name = visible(`${task.type}/${task.id}`);
  const path = ["async-tasks", task.type, task.id];
  const retry = async () => {
    await request("POST", restPath([...path, "retry"]));
    announce(m5.tasks.retried(name));
  };
  const begin = (verb) => verb === "retry" ? void retry().then(after, (e4) => announce(problemText(e4))) : ask2(verb);
  const fields3 = [{ name: "remark", kind: "text", label: m5.tasks.remark }];
  const act = async (form) => {
    await request("POST", restPath([...path, asking2]), typedIn(form, fields3));
    announce(asking2 === "process" ? m5.tasks.processed(name) : m5.tasks.cancelled(name));
    after();
  };
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    there.map((v5) => /* @__PURE__ */ a4("button", { type: "button", class: v5 === "cancel" ? "danger" : void 0, onClick: () => begin(v5), children: m5.tasks[v5] }, v5)),
    asking2 && /* @__PURE__ */ a4(Dialog, { title: `${m5.tasks[asking2]} ${name}`, verb: m5.tasks[asking2], act, close: () => ask2(void 0), danger: asking2 === "cancel", children: [
      /* @__PURE__ */ a4("p", { children: asking2 === "process" ? m5.tasks.processAbout : m5.tasks.cancelAbout }),
      /* @__PURE__ */ a4(Inputs, { of: fields3 })
    ] })
  ] });
}
function NewTask({ type, after }) {
  const m5 = say.value;
  const [types, take] = d2();
  const begin = async () => {
    if (type) return take([type]);
    try {
      const { value } = await request("GET", restPath(["task-types"], { limit: "1000" }));
      take(value.task_types.map((t4) => t4.code));
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: type ? void 0 : "primary", onClick: () => void begin(), children: m5.tasks.submitNew }),
    types && /* @__PURE__ */ a4(SubmitDialog, { types, close: () => take(void 0), after })
  ] });
}
function fieldsOfTask(types) {
  const m5 = say.value;
  const only = types.length === 1 ? types[0] : void 0;
  return [
    { name: "type", kind: types.length > 0 ? "choice" : "text", values: types, value: only, label: m5.tasks.type, required: true },
    { name: "id", kind: "text", label: m5.tasks.id, hint: m5.tasks.idHint },
    { name: "ext", kind: "json", label: m5.tasks.ext, hint: m5.tasks.extHint },
    { name: "start_time", kind: "time", label: m5.tasks.start },
    { name: "priority", kind: "number", label: m5.fields.priority, hint: "0–9" },
    { name: "creator", kind: "text", label: m5.fields.creator },
    { name: "tenant_id", kind: "text", label: m5.fields.tenant_id },
    { name: "category", kind: "text", label: m5.fields.category },
    { name: "worker_ids", kind: "list", label: m5.fields.worker_ids, hint: m5.hints.worker_ids },
    { name: "worker_count", kind: "number", label: m5.fields.worker_count }
  ];
}
function SubmitDialog({ types, close, after }) {
  const m5 = say.value;
  const fields3 = fieldsOfTask(types);
  const act = async (form) => {
    const { value } = await request("POST", restPath(["async-tasks"]), typedIn(form, fields3));
    announce(m5.tasks.submitted(visible(`${value.type}/${value.id}`)));
    open(pageOf(["tasks", value.type, value.id]));
    after?.();
  };
  return /* @__PURE__ */ a4(Dialog, { title: m5.tasks.submitNew, verb: m5.tasks.submit, act, close, children: /* @__PURE__ */ a4(Inputs, { of: fields3, grid: true }) });
}

// app/tasks.tsx
var statuses2 = ["Pending", "Error", "Failure", "Executing", "New", "Completed"];
var ended3 = ["Success", "Completed", "Failure", "ManuallyProcessed", "Cancelled"];
var filters8 = ["type", "status", "tenant_id", "category", "creator", "history", "from", "to"];
var drawnAs = {
  New: "queued",
  Executing: "executing",
  Error: "retrying",
  Pending: "pending",
  Success: "ok",
  Completed: "ok",
  Failure: "failure",
  ManuallyProcessed: "ok",
  Cancelled: "cancelled"
};
var TaskStatus = ({ of }) => /* @__PURE__ */ a4(State, { of: drawnAs[of], wire: of });
var taskPage = (type, id) => pageOf(["tasks", type, id]);
function Tasks() {
  const m5 = say.value;
  const history2 = param("history") === "true";
  const query2 = Object.fromEntries([...filters8, "cursor", "limit"].map((name) => [name, place.value.searchParams.getAll(name)]));
  const [resource, again] = useResource(restPath(["async-tasks"], { ...query2, order: history2 ? void 0 : "status" }), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.tasks ?? [], (t4) => `${t4.type}/${t4.id} ${t4.create_date}`, m5.pages.tasks);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.tasks, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewTask, { after: again }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["task-types"]), children: m5.tasks.types }) }),
    /* @__PURE__ */ a4(Filters, { label: m5.tasks.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "type", label: m5.tasks.type }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: history2 ? ended3 : statuses2, any: m5.any }),
      /* @__PURE__ */ a4(TextFilter, { name: "tenant_id", label: m5.fields.tenant_id }),
      /* @__PURE__ */ a4(TextFilter, { name: "creator", label: m5.fields.creator }),
      /* @__PURE__ */ a4(CheckFilter, { name: "history", label: m5.tasks.history, about: m5.tasks.historyAbout }),
      /* @__PURE__ */ a4(MoreFilters, { names: ["category", "from", "to"], children: [
        /* @__PURE__ */ a4(TextFilter, { name: "category", label: m5.fields.category }),
        history2 && /* @__PURE__ */ a4(TimeFilter, { name: "from", label: m5.tasks.from }),
        history2 && /* @__PURE__ */ a4(TimeFilter, { name: "to", label: m5.tasks.to })
      ] }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    list.length === 0 && /* @__PURE__ */ a4(Searched, { page: { next: data?.next, complete: false }, says: () => m5.tasks.notAll }),
    /* @__PURE__ */ a4(Table, { name: m5.pages.tasks, columns: m5.tasks.columns, kind: "tasks", busy, empty: list.length === 0 && !refused && !data?.next && /* @__PURE__ */ a4(NoTasks2, { history: history2 }), children: list.map((t4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: taskPage(t4.type, t4.id), children: /* @__PURE__ */ a4(Name, { of: t4.type, id: t4.id }) }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(TaskStatus, { of: t4.status }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: count(t4.error_count) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: t4.update_date }) }),
      /* @__PURE__ */ a4("td", { children: t4.creator !== "0" && visible(t4.creator) }),
      /* @__PURE__ */ a4("td", { children: t4.tenant_id && visible(t4.tenant_id) }),
      /* @__PURE__ */ a4("td", { children: t4.error_info && visible(t4.error_info) })
    ] }, `${t4.type}/${t4.id} ${t4.create_date}`)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function NoTasks2({ history: history2 }) {
  const m5 = say.value;
  const set = filters8.filter((name) => param(name));
  if (set.length > 0) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: [
      history2 && set.length === 1 ? m5.tasks.noneFinished : m5.tasks.noneFits,
      " ",
      /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries([...set, "cursor", "before"].map((name) => [name, void 0]))), children: m5.withoutFilters })
    ] }) });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.tasks.none }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster task type put review --need-manual" }),
    /* @__PURE__ */ a4(Command, { children: `stationmaster task submit review --ext '{"page":"terms"}'` }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster task fetch --worker-id me --type review" })
  ] });
}

// app/task.tsx
function Task({ type, id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["async-tasks", type, id]), true);
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: visible(`${type}/${id}`), busy, aside: data && /* @__PURE__ */ a4(TaskStatus, { of: data.status }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["tasks"]), children: m5.pages.tasks }) }),
    data && /* @__PURE__ */ a4(TaskActions, { task: data, after: again }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { children: m5.tasks.noSuch }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    data && /* @__PURE__ */ a4(Facts6, { of: data })
  ] });
}
function Facts6({ of: t4 }) {
  const m5 = say.value;
  const texts = [
    [m5.fields.creator, t4.creator === "0" ? void 0 : t4.creator],
    [m5.fields.tenant_id, t4.tenant_id],
    [m5.fields.category, t4.category],
    [m5.worker, t4.exec_id]
  ];
  const times = [
    [m5.tasks.created, t4.create_date],
    [m5.tasks.start, t4.start_time],
    [m5.tasks.changed, t4.update_date],
    [m5.tasks.deadline, t4.executing_deadline]
  ];
  const values = [[m5.tasks.remark, t4.remark], [m5.queues.lastError, t4.error_info], [m5.tasks.result, t4.result], [m5.fields.ext, t4.ext]];
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    /* @__PURE__ */ a4(Fact, { name: m5.tasks.type, children: /* @__PURE__ */ a4("a", { href: pageOf(["task-types"], { code: t4.type }), children: visible(t4.type) }) }),
    times.map(([name, at2]) => at2 && /* @__PURE__ */ a4(Fact, { name, children: /* @__PURE__ */ a4(When, { at: at2 }) }, name)),
    /* @__PURE__ */ a4(Fact, { name: m5.tasks.errors, children: count(t4.error_count) }),
    t4.exec_time > 0 && /* @__PURE__ */ a4(Fact, { name: m5.tasks.took, children: count(t4.exec_time) }),
    texts.map(([name, text]) => text && /* @__PURE__ */ a4(Fact, { name, children: visible(text) }, name)),
    /* @__PURE__ */ a4(Fact, { name: m5.tasks.plan, children: /* @__PURE__ */ a4(PlanLink, { station: t4.type, id: t4.id }) }),
    values.map(([name, value]) => value !== void 0 && value !== null && value !== "" && /* @__PURE__ */ a4(Fact, { name, wide: true, children: /* @__PURE__ */ a4(Value, { of: value }) }, name))
  ] });
}

// app/secrets.tsx
function Secrets() {
  const m5 = say.value.tasks;
  const [resource, again] = useResource(restPath(["secrets"], { limit: "1000" }), true);
  const [asking2, ask2] = d2();
  const { data, refused, busy } = resource.value;
  const list = data?.secrets ?? [];
  const chosen = list.find((s4) => s4.name === param("secret"));
  const close = () => ask2(void 0);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.secrets }),
    /* @__PURE__ */ a4("p", { class: "about", children: m5.secretsAbout }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4("div", { class: "actions", children: /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("put new"), children: m5.putSecret }) }),
    /* @__PURE__ */ a4(Table, { name: m5.secrets, columns: m5.secretColumns, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4("p", { children: m5.noSecrets }), children: list.map((s4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: withQuery({ secret: s4.name }), "aria-current": s4 === chosen ? "true" : void 0, children: visible(s4.name) }) }),
      /* @__PURE__ */ a4("td", { children: visible((s4.hosts ?? []).join(", ")) }),
      /* @__PURE__ */ a4("td", { children: s4.tenant_id && visible(s4.tenant_id) })
    ] }, s4.name)) }),
    chosen && /* @__PURE__ */ a4("section", { "aria-label": visible(chosen.name), children: [
      /* @__PURE__ */ a4("h3", { children: visible(chosen.name) }),
      /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": say.value.actions, children: [
        /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("put"), children: m5.put }),
        /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2("delete"), children: m5.delete })
      ] })
    ] }),
    asking2 === "put new" && /* @__PURE__ */ a4(PutDialog3, { close, after: again }),
    asking2 === "put" && chosen && /* @__PURE__ */ a4(PutDialog3, { of: chosen, close, after: again }),
    asking2 === "delete" && chosen && /* @__PURE__ */ a4(DeleteDialog5, { name: chosen.name, close, after: again })
  ] });
}
function PutDialog3({ of, close, after }) {
  const m5 = say.value.tasks;
  const fields3 = [
    ...of ? [] : [{ name: "name", kind: "text", label: m5.name, required: true }],
    { name: "value", kind: "secret", label: m5.value, required: true },
    { name: "hosts", kind: "list", label: m5.hosts, required: true, hint: m5.hostsHint, value: of?.hosts?.join(", ") },
    { name: "tenant_id", kind: "text", label: say.value.fields.tenant_id, value: of?.tenant_id }
  ];
  const act = async (form) => {
    const { name = of?.name, ...secret } = typedIn(form, fields3);
    await request("PUT", restPath(["secrets", String(name)]), secret);
    announce(m5.wasPut(visible(String(name))));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: of ? `${m5.put} ${visible(of.name)}` : m5.putSecret, verb: m5.put, act, close, children: /* @__PURE__ */ a4(Inputs, { of: fields3 }) });
}
function DeleteDialog5({ name, close, after }) {
  const m5 = say.value.tasks;
  const change2 = { method: "DELETE", path: ["secrets", name] };
  const act = async () => {
    await request(change2.method, restPath(change2.path));
    announce(m5.wasDeleted(visible(name)));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(name)}`, verb: m5.delete, act, close, danger: true, children: /* @__PURE__ */ a4(Foretold, { of: change2, children: (dry) => /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("p", { children: m5.usedBy(count(dry.plans ?? 0)) }),
    /* @__PURE__ */ a4("ul", { children: (dry.used_by ?? []).map((plan) => /* @__PURE__ */ a4("li", { children: visible(plan) }, plan)) })
  ] }) }) });
}

// app/task-type-verbs.tsx
function fieldsOfType() {
  const m5 = say.value;
  const f5 = m5.fields, t4 = m5.tasks;
  const number = (name, label) => ({ name: `config.${name}`, kind: "number", label });
  const target = (of, label) => [
    { name: `config.callback.${of}.url`, kind: "text", label },
    { name: `config.callback.${of}.method`, kind: "choice", values: ["POST", "PUT"], label: `${label}: ${t4.method}` }
  ];
  return [
    { name: "name", kind: "text", label: t4.title },
    { name: "category", kind: "text", label: f5.category },
    { name: "config.kind", kind: "choice", values: ["pull", "api"], label: t4.kind, hint: t4.kindHint },
    { name: "config.need_manual", kind: "yes", label: f5["retry.need_manual"] },
    { name: "config.retry_strategy", kind: "choice", values: ["none", "fixed_period", "sequence", "exponential"], label: f5["retry.strategy"] },
    number("retry_interval", f5["retry.interval"]),
    { name: "config.retry_sequence", kind: "list", label: f5["retry.sequence"], hint: m5.hints["retry.sequence"] },
    number("retry_jitter", f5["retry.jitter"]),
    number("max_error_count", f5["retry.max_error_count"]),
    number("timeout", t4.timeout),
    number("timeout_seconds", t4.timeoutSeconds),
    number("ping_timeout_ms", f5.ping_timeout_ms),
    number("max_unexpected_retries", f5.max_unexpected_retries),
    number("unexpected_retry_delay_ms", f5.unexpected_retry_delay_ms),
    ...target("success", t4.onSuccess),
    ...target("error", t4.onError),
    { name: "config.callback.security.type", kind: "choice", values: ["none", "aksk"], label: t4.signed },
    { name: "config.callback.security.ak", kind: "text", label: t4.ak },
    { name: "config.callback.security.sk", kind: "secret", label: t4.sk, hint: t4.skHint }
  ];
}
function TypeActions({ type, after }) {
  const m5 = say.value;
  const [asking2, ask2] = d2();
  if (!session.operates.value) return null;
  const close = () => ask2(void 0);
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    /* @__PURE__ */ a4(NewTask, { type: type.code }),
    /* @__PURE__ */ a4("button", { type: "button", onClick: () => ask2("put"), children: m5.tasks.put }),
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask2("delete"), children: m5.tasks.delete }),
    asking2 === "put" && /* @__PURE__ */ a4(PutDialog4, { type, close, after }),
    asking2 === "delete" && /* @__PURE__ */ a4(DeleteDialog6, { code: type.code, close, after })
  ] });
}
function NewType({ after }) {
  const [asking2, ask2] = d2(false);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "primary", onClick: () => ask2(true), children: say.value.tasks.putNew }),
    asking2 && /* @__PURE__ */ a4(PutDialog4, { close: () => ask2(false), after })
  ] });
}
function PutDialog4({ type, close, after }) {
  const m5 = say.value;
  const [begun] = d2(type ?? {});
  const named3 = type ? [] : [{ name: "code", kind: "text", label: m5.tasks.code, required: true, hint: m5.tasks.codeHint }];
  const fields3 = filled(fieldsOfType(), begun);
  const act = async (form) => {
    const code = type?.code ?? String(form.get("code")).trim();
    await request("PUT", restPath(["task-types", code]), { ...changedIn(form, fields3, begun), code });
    announce(m5.tasks.wasPut(visible(code)));
    if (!type) open(pageOf(["task-types"], { code }));
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: type ? `${m5.tasks.put} ${visible(type.code)}` : m5.tasks.putNew, verb: m5.tasks.put, act, close, children: [
    /* @__PURE__ */ a4("p", { children: m5.tasks.putAbout }),
    /* @__PURE__ */ a4(Inputs, { of: [...named3, ...fields3], grid: true })
  ] });
}
function DeleteDialog6({ code, close, after }) {
  const m5 = say.value.tasks;
  const act = async () => {
    await request("DELETE", restPath(["task-types", code]));
    announce(m5.wasDeleted(visible(code)));
    open(withQuery({ code: void 0 }), "filter");
    after();
  };
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.delete} ${visible(code)}`, verb: m5.delete, act, close, danger: true, children: /* @__PURE__ */ a4("p", { children: m5.deleteAbout }) });
}

// app/task-types.tsx
function TaskTypes() {
  const m5 = say.value;
  const query2 = { category: param("category"), cursor: param("cursor"), limit: param("limit") };
  const [resource, again] = useResource(restPath(["task-types"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.task_types ?? [], (t4) => t4.code, m5.tasks.types);
  const chosen = param("code");
  return /* @__PURE__ */ a4(Page, { title: m5.tasks.types, busy, aside: session.operates.value && /* @__PURE__ */ a4(NewType, { after: again }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["tasks"]), children: m5.pages.tasks }) }),
    fresh,
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { name: m5.tasks.types, columns: m5.tasks.typeColumns, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoTypes, {}), children: list.map((t4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: withQuery({ code: t4.code }), "aria-current": t4.code === chosen ? "true" : void 0, children: visible(t4.code) }) }),
      /* @__PURE__ */ a4("td", { children: t4.name && visible(t4.name) }),
      /* @__PURE__ */ a4("td", { children: t4.category !== void 0 && visible(String(t4.category)) }),
      /* @__PURE__ */ a4("td", { children: t4.config?.kind ?? "pull" }),
      /* @__PURE__ */ a4("td", { children: t4.config?.retry_strategy ?? "none" }),
      /* @__PURE__ */ a4("td", { children: String(t4.config?.need_manual ?? false) })
    ] }, t4.code)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next }),
    chosen && /* @__PURE__ */ a4(Type, { code: chosen, after: again }, chosen),
    session.operates.value && /* @__PURE__ */ a4(Secrets, {})
  ] });
}
function NoTypes() {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.tasks.noTypes }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster task type put review --need-manual" })
  ] });
}
function Type({ code, after }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["task-types", code]), true);
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", "aria-label": visible(code), "aria-busy": busy && !data && !refused ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: visible(code) }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { children: m5.tasks.noSuchType(visible(code)) }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    data && /* @__PURE__ */ a4(TypeActions, { type: data, after: () => (again(), after()) }),
    data && /* @__PURE__ */ a4("dl", { class: "facts", children: [
      fieldsOfType().map((f5) => {
        const value = memberOf(data, f5.name);
        return value !== void 0 && value !== null && /* @__PURE__ */ a4(Fact, { name: f5.label, children: /* @__PURE__ */ a4(Shown, { of: value }) }, f5.name);
      }),
      /* @__PURE__ */ a4(Fact, { name: m5.tasks.tasksOf, children: /* @__PURE__ */ a4("a", { href: pageOf(["tasks"], { type: code }), children: m5.pages.tasks }) }),
      /* @__PURE__ */ a4(Fact, { name: m5.fields.station, children: /* @__PURE__ */ a4("a", { href: pageOf(["stations", code]), children: visible(code) }) })
    ] })
  ] });
}
var Shown = ({ of }) => /* @__PURE__ */ a4("code", { children: visible(typeof of === "string" ? of : formatJson(of)) });

// app/workers.tsx
function Workers() {
  const m5 = say.value;
  const query2 = { station: param("station"), cursor: param("cursor"), limit: param("limit") };
  const [resource] = useResource(restPath(["workers"], query2), true);
  const { data, refused, busy } = resource.value;
  const [list, fresh] = useCalm(data?.workers ?? [], (w5) => w5.worker_id, m5.pages.workers);
  return /* @__PURE__ */ a4(Page, { title: m5.pages.workers, busy, children: [
    /* @__PURE__ */ a4(Filters, { label: m5.workers.filter, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      fresh
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { name: m5.pages.workers, columns: m5.columns.workers, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoWorkers2, {}), children: list.map((w5) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: pageOf(["workers", w5.worker_id]), children: visible(w5.worker_id) }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Stations2, { of: w5.stations }) }),
      /* @__PURE__ */ a4("td", { children: w5.version && visible(w5.version) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: w5.last_seen }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: count(w5.load ?? 0) })
    ] }, w5.worker_id)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function Stations2({ of }) {
  const link = (s4) => /[*>]/.test(s4) ? visible(s4) : /* @__PURE__ */ a4("a", { href: stationPage(s4), children: visible(s4) });
  return /* @__PURE__ */ a4($, { children: of.map((s4, i4) => /* @__PURE__ */ a4("span", { children: [
    i4 > 0 && ", ",
    link(s4)
  ] }, s4)) });
}
function NoWorkers2() {
  const m5 = say.value;
  const station3 = param("station");
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    station3 && /* @__PURE__ */ a4("p", { children: [
      m5.workers.nobodyServes(visible(station3)),
      " ",
      /* @__PURE__ */ a4("a", { href: withQuery({ station: void 0, cursor: void 0, before: void 0 }), children: m5.withoutFilters })
    ] }),
    /* @__PURE__ */ a4("p", { children: m5.workers.begin }),
    /* @__PURE__ */ a4(FirstWorker, { station: station3 })
  ] });
}

// app/worker.tsx
function Worker({ id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["workers", id]));
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: visible(id), busy, children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4("a", { href: pageOf(["workers"]), children: m5.pages.workers }) }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4("p", { class: "empty", children: m5.workers.gone }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    data && /* @__PURE__ */ a4(Facts7, { of: data }),
    data && /* @__PURE__ */ a4(Executions, { of: data, after: again })
  ] });
}
function Facts7({ of: w5 }) {
  const m5 = say.value;
  const [, stations, version, seen] = m5.columns.workers;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    /* @__PURE__ */ a4(Fact, { name: stations, children: /* @__PURE__ */ a4(Stations2, { of: w5.stations }) }),
    w5.version && /* @__PURE__ */ a4(Fact, { name: version, children: visible(w5.version) }),
    w5.host && /* @__PURE__ */ a4(Fact, { name: m5.workers.host, children: visible(w5.host) }),
    w5.library && /* @__PURE__ */ a4(Fact, { name: m5.workers.library, children: visible(w5.library) }),
    w5.since && /* @__PURE__ */ a4(Fact, { name: m5.workers.since, children: /* @__PURE__ */ a4(When, { at: w5.since }) }),
    /* @__PURE__ */ a4(Fact, { name: seen, children: /* @__PURE__ */ a4(When, { at: w5.last_seen }) }),
    /* @__PURE__ */ a4(Fact, { name: m5.workers.lastMinute, children: count(w5.rate_1m) })
  ] });
}
function Executions({ of, after }) {
  const m5 = say.value;
  const columns = session.operates.value ? [...m5.columns.held, m5.columns.act] : m5.columns.held;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.workers.executions }),
    /* @__PURE__ */ a4(Table, { name: m5.workers.executions, columns, empty: of.executions.length === 0 && /* @__PURE__ */ a4("p", { class: "about", children: m5.workers.idle }), children: of.executions.map((e4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: runPage(e4.station, e4.plan_id, e4.n), children: e4.n }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(PlanLink, { station: e4.station, id: e4.plan_id }) }),
      /* @__PURE__ */ a4("td", { children: e4.attempt }),
      /* @__PURE__ */ a4("td", { children: [
        /* @__PURE__ */ a4(State, { of: e4.state }),
        /* @__PURE__ */ a4(Progress, { of: e4.progress })
      ] }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: e4.since }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: e4.deadline }) }),
      session.operates.value && /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(CancelRun, { station: e4.station, id: e4.plan_id, n: e4.n, after }) })
    ] }, `${e4.station}/${e4.plan_id} ${e4.n}`)) }),
    of.more && /* @__PURE__ */ a4("p", { class: "about", children: m5.workers.more })
  ] });
}

// app/app-pages.tsx
function App() {
  return /* @__PURE__ */ a4(Shell, { children: /* @__PURE__ */ a4(Content, {}) });
}
function Content() {
  const path = names.value;
  const [section, a5, b3, c4, d5] = path;
  if (section === "login" && path.length === 1) return /* @__PURE__ */ a4(Login, {});
  if (!session.current.value || session.current.value.role === "") return /* @__PURE__ */ a4(Elsewhere, { to: loginPage() });
  if (section === void 0) return /* @__PURE__ */ a4(Overview, {});
  if (section === "runs" && path.length === 1) return /* @__PURE__ */ a4(AllRuns, {});
  if (section === "timeline" && path.length === 1) return /* @__PURE__ */ a4(Timeline, {});
  if (section === "calendar" && path.length === 1) return /* @__PURE__ */ a4(Calendar, {});
  if (section === "stations" && path.length === 1) return /* @__PURE__ */ a4(Stations, {});
  if (section === "stations" && path.length === 2) return /* @__PURE__ */ a4(Station, { name: a5 }, a5);
  if (section === "plans") {
    const key = `${a5}/${b3}/${d5}`;
    if (path.length === 1) return /* @__PURE__ */ a4(Plans, {});
    if (path.length === 2 && a5 === "new") return /* @__PURE__ */ a4(NewPlan, {}, place.value.search);
    if (path.length === 3) return /* @__PURE__ */ a4(Plan, { station: a5, id: b3 }, key);
    if (path.length === 4 && c4 === "edit") return /* @__PURE__ */ a4(EditPlan, { station: a5, id: b3 }, key);
    if (path.length === 5 && c4 === "runs") return /* @__PURE__ */ a4(Run, { station: a5, id: b3, n: d5 }, key);
  }
  if (section === "workers" && path.length === 1) return /* @__PURE__ */ a4(Workers, {});
  if (section === "workers" && path.length === 2) return /* @__PURE__ */ a4(Worker, { id: a5 }, a5);
  if (section === "jobs" && path.length === 1) return /* @__PURE__ */ a4(Jobs, {});
  if (section === "jobs" && path.length === 2) return /* @__PURE__ */ a4(Job, { id: a5 }, a5);
  if (section === "tasks" && path.length === 1) return /* @__PURE__ */ a4(Tasks, {});
  if (section === "tasks" && path.length === 3) return /* @__PURE__ */ a4(Task, { type: a5, id: b3 }, `${a5}/${b3}`);
  if (section === "task-types" && path.length === 1) return /* @__PURE__ */ a4(TaskTypes, {});
  if (section === "queues" && path.length === 1) return /* @__PURE__ */ a4(Queues, {});
  if (section === "queues" && path.length === 2) return a5.startsWith("-") ? /* @__PURE__ */ a4(Unmerged, { name: a5 }, a5) : /* @__PURE__ */ a4(Queue, { name: a5 }, a5);
  if (section === "periodic" && path.length === 1) return /* @__PURE__ */ a4(PeriodicTasks, {});
  if (section === "periodic" && path.length === 2) return /* @__PURE__ */ a4(PeriodicTask, { id: a5 }, a5);
  if (section === "callbacks" && path.length === 1) return /* @__PURE__ */ a4(Callbacks, {});
  if (section === "cluster" && path.length === 1) return /* @__PURE__ */ a4(Cluster, {});
  if (section === "live" && path.length === 1) return /* @__PURE__ */ a4(Live, {});
  if (section === "help" && !noHelp()) return /* @__PURE__ */ a4(Help, {});
  return /* @__PURE__ */ a4(NotFound, {});
}
function Elsewhere({ to }) {
  A2(() => open(to, "replace"), [to]);
  return null;
}
function NotFound() {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Page, { title: m5.notFound, children: [
    /* @__PURE__ */ a4("p", { children: m5.noSuchPage }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: base + "/ui/plans", children: m5.pages.plans }) })
  ] });
}

// app/focus.ts
function keepFocus() {
  let holder;
  addEventListener("focusin", (e4) => holder = e4.target);
  addEventListener("focusout", (e4) => {
    const left = e4.target;
    queueMicrotask(() => left.isConnected && holder === left && (holder = void 0));
  });
  new MutationObserver(() => {
    if (!holder || holder.isConnected) return;
    holder = void 0;
    if (document.activeElement === document.body) document.querySelector("h1")?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

// app/app.ts
followLinks();
keepFocus();
followKeys();
void session.find().then(() => Q(k(App, {}), document.body));
